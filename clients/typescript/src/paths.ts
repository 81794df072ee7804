/** Parts of the addresses of requests. */
import { demand } from "./send";

/** The query of the members that are given, with the mark before it; nothing, if none is. */
export function query<Name extends string>(given: Partial<Record<Name, unknown>>, names: readonly Name[]): string {
  const members = names.filter((name) => given[name] !== undefined).map((name) => [name, String(given[name])]);
  return members.length ? `?${new URLSearchParams(members)}` : "";
}

/** A text as one segment of a path: all that RFC 3986 does not call unreserved is percent-encoded. */
export function segment(value: string, name: string): string {
  // Every URL parser takes a segment of dots for a step in the path, even where it is percent-encoded.
  const sound = typeof value === "string" && !/^\.{0,2}$|\p{Surrogate}/u.test(value);
  demand(sound, `${name} must be a text that is not empty, not dots, and whole Unicode`);
  return encodeURIComponent(value).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The path of a company. */
export function company(country: string, id: string): string {
  return `/api/v1/entities/${segment(country, "country")}/${segment(id, "id")}`;
}
