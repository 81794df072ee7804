/**
 * Statements as CSV, and the files of the whole directory. The errors are those of `@padron/client`.
 *
 * @packageDocumentation
 */
import { company } from "./paths";
import { baseAddress, type Send, sender } from "./send";
import { type Holds, list, members, text } from "./shapes";
import type { BulkFile, ClientOptions, FileClient, FileMethods, FileMethodsWithResponse } from "./types";

/**
 * A client of what the service gives as files.
 *
 * @example
 * ```ts
 * const files = createFileClient(); // the key is in PADRON_API_KEY
 * const csv = await files.financialsCsv("US", "320193");
 * ```
 *
 * @param options - The key, and where and how to ask: those of `createClient`.
 * @returns A method for each kind of file, and the methods `withResponse`.
 * @throws TypeError for an option that cannot be used. It does not tell the key.
 */
export function createFileClient(options: ClientOptions = {}): FileClient {
  const withResponse = methods(sender(options), `${baseAddress(options)}${BULK}`);
  return {
    financialsCsv: async (...given) => (await withResponse.financialsCsv(...given)).data,
    bulkFiles: async (...given) => (await withResponse.bulkFiles(...given)).data,
    withResponse,
  };
}

const BULK = "/bulk/";

function methods(send: Send, folder: string): FileMethodsWithResponse {
  return {
    async financialsCsv(...[country, id, options]: Parameters<FileMethods["financialsCsv"]>) {
      const path = `${company(country, id)}/financials`;
      const post = { verb: "GET", fields: { Accept: "text/csv" } };
      const answer = await send({ ...options, method: "financialsCsv", path, shape: isStatements, post });
      return { ...answer, data: answer.data as string };
    },
    async bulkFiles(...[options]: Parameters<FileMethods["bulkFiles"]>) {
      const answer = await send({ ...options, method: "bulkFiles", path: `${BULK}catalogue.jsonld`, shape: isCatalogue });
      return { ...answer, data: bulkFiles(answer.data as Catalogue, folder) };
    },
  };
}

/** The part of a DCAT catalogue that is read. */
interface Catalogue {
  "dcat:dataset": {
    "dct:spatial": { "dct:identifier": string };
    "dcat:distribution": {
      "dcat:downloadURL": { "@id": string };
      "dcat:byteSize": { "@value": string };
      "spdx:checksum": { "spdx:checksumValue": { "@value": string } };
    }[];
  }[];
}

function bulkFiles(catalogue: Catalogue, folder: string): BulkFile[] {
  return catalogue["dcat:dataset"].flatMap(({ "dct:spatial": place, "dcat:distribution": files }) =>
    files.map((file) => ({
      countryCode: place["dct:identifier"],
      url: folder + file["dcat:downloadURL"]["@id"],
      bytes: Number(file["dcat:byteSize"]["@value"]),
      sha256: file["spdx:checksum"]["spdx:checksumValue"]["@value"],
    })),
  );
}

const isStatements: Holds = (answer) => typeof answer === "string" && answer.startsWith("countryCode,");
const isCatalogue = members({
  "dcat:dataset": list(
    members({
      "dct:spatial": members({ "dct:identifier": text }),
      "dcat:distribution": list(
        members({
          "dcat:downloadURL": members({ "@id": text }),
          "dcat:byteSize": members({ "@value": text }),
          "spdx:checksum": members({ "spdx:checksumValue": members({ "@value": text }) }),
        }),
      ),
    }),
  ),
});
