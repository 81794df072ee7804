/** What the rules of identifiers need of the language they are written in for the service, Python. */

/** A reading of a text as an official identifier. */
export interface Identifier {
  /** The scheme, such as `br-cnpj`. */
  scheme: string;
  /** The number in canonical form: without separators, leading zeros where they count. */
  identifier: string;
  /** Whether its check digits are right; null where it has none. */
  validCheck: boolean | null;
}

export function Identifier(scheme: string, identifier: string, validCheck: boolean | null = null): Identifier {
  return { scheme, identifier, validCheck };
}

/** A text that no rule reads as the number of a company; the message is the code. */
export class Refused extends Error {}

/** A regular expression and the ways it is asked. */
export class Pattern {
  readonly #source: string;
  readonly #flags: string;

  constructor(source: string, ignoringCase?: boolean) {
    this.#source = source;
    this.#flags = ignoringCase ? "iu" : "u";
  }

  fullmatch(text: string): RegExpExecArray | null {
    return new RegExp(`^(?:${this.#source})$`, this.#flags).exec(text);
  }

  match(text: string): RegExpExecArray | null {
    return new RegExp(`^(?:${this.#source})`, this.#flags).exec(text);
  }

  search(text: string): RegExpExecArray | null {
    return new RegExp(this.#source, this.#flags).exec(text);
  }

  sub(replacement: string, text: string, count?: number): string {
    return text.replace(new RegExp(this.#source, count === 1 ? this.#flags : `${this.#flags}g`), replacement);
  }
}

const SPACE = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
const ENDS: Pattern = /* @__PURE__ */ new Pattern(`^${SPACE}|${SPACE}$`);

export const strip = (text: string): string => ENDS.sub("", text);
export const digits = (text: string): boolean => /^\p{Nd}+$/u.test(text);
export const some = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));
export const len = (value: string | Set<unknown>): number => (typeof value === "string" ? value.length : value.size);
export const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
export const starts = (text: string, begins: string[]): boolean => begins.some((begin) => text.startsWith(begin));

/** A number; one beyond the whole numbers of a double as a BigInt. */
export function int(text: string, base = 10): number | bigint {
  return base === 10 && text.length > 15 ? BigInt(text) : Number.parseInt(text, base);
}

/** The remainder, which is never negative. */
export function mod(value: number | bigint, by: number): number {
  return typeof value === "bigint" ? Number(value % BigInt(by)) : ((value % by) + by) % by;
}

export function zip<A, B>(left: Iterable<A>, right: Iterable<B>): [A, B][] {
  const others = [...right];
  return [...left].slice(0, others.length).map((value, place) => [value, others[place] as B]);
}

export function range(first: number, end: number, step: number): number[] {
  return Array.from({ length: Math.ceil((end - first) / step) }, (_, place) => first + place * step);
}

/** Throws unless there is such a day. */
export function date(year: number, month: number, day: number): void {
  const given = new Date(Date.UTC(year, month - 1, day));
  if (given.getUTCFullYear() !== year || given.getUTCMonth() !== month - 1 || given.getUTCDate() !== day) throw new RangeError();
}

/** The name of the named part that matched. */
export function lastGroup(match: RegExpExecArray): string | undefined {
  return Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0];
}
