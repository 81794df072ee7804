/**
 * Validation of official identifiers without network, by the rules of the service.
 *
 * @packageDocumentation
 */
import type { Identifier } from "./reading";
import { type Pattern, Refused } from "./reading";
import { AROUND, CODES, FEWEST_DIGITS, MARKS, PLAIN, RULES, THOUSANDS } from "./rules";

export type { Identifier };

/** What a text is as an official identifier of a country. */
export interface Validation {
  /** Whether it can be the number of a company: its structure, and check digits where it has them, are right. */
  valid: boolean;
  /** Why it is not: `invalid-identifier`, `natural-person-not-covered`, `wrong-check-digit`; null where it is valid. */
  code: string | null;
  /** Its readings, the preferred one first. A number with wrong check digits has one, and the service looks it up. */
  readings: Identifier[];
}

/**
 * Validate an official identifier, formatted or not, by the rules of its country. Nothing is sent. Marks around it are no
 * part of it, `"1790016919001"`, `#320193,`; nor are those between thousands, `320,193`, and the code of the country in
 * front, `EC1790016919001`.
 *
 * @param country - ISO code of the country, in either case.
 * @param value - The identifier.
 * @returns Whether it is valid, why it is not, and its readings.
 * @throws TypeError for a country whose registers the service does not hold.
 */
export function validateIdentifier(country: string, value: string): Validation {
  const code = country.toUpperCase();
  const identify = Object.hasOwn(RULES, code) ? RULES[code] : undefined;
  if (!identify) throw new TypeError(`country must be one of ${Object.keys(RULES).join(", ")}`);
  const plain = bare(value.replace(/[^\0-\x7f]/gu, (character) => PLAIN[character] ?? character).replaceAll("_", " "));
  try {
    const readings = read(identify, CODES[code] as Pattern, plain);
    const valid = readings.some(({ validCheck }) => validCheck !== false);
    return { valid, code: valid ? null : "wrong-check-digit", readings };
  } catch (error) {
    if (error instanceof Refused) return { valid: false, code: error.message, readings: [] };
    throw error;
  }
}

/** The readings of a text, or else of what stands behind the code of the country. Throws `Refused`. */
function read(identify: (raw: string) => Identifier[], behindCode: Pattern, given: string): Identifier[] {
  const text = THOUSANDS.fullmatch(given) ? MARKS.sub("", given) : given;
  try {
    return identify(text);
  } catch (error) {
    const number = behindCode.fullmatch(text)?.[1] ?? "";
    const refused = error instanceof Refused && error.message === "invalid-identifier";
    if (!refused || number.replace(/[^0-9]/g, "").length < FEWEST_DIGITS) throw error;
    return identify(bare(number));
  }
}

/** A text without the marks that people paste around a number. */
function bare(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && AROUND.includes(text.charAt(start))) start += 1;
  while (end > start && AROUND.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
