/**
 * Client of Padrón: finds any company of the countries covered in the
 * official registers, by name or by official identifier, and says how sure it is.
 *
 * @packageDocumentation
 */
export { createClient } from "./client";
export * from "./errors";
export type * from "./types";
export * from "./webhooks";
