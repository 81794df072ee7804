/** What goes in and what comes out, named for readers; the members come from the service's own description. */
import type { components } from "./wire";

type Schemas = components["schemas"];

/** A country whose registers are searched, ISO 3166-1 alpha-2. */
export type CountryCode = Schemas["V1Record"]["countryCode"];

/** Answer of `search`: the matches, the best first, and `bestMatch` where it is good enough to cite. */
export type SearchAnswer = Schemas["V1Answer"];
/** One match: the company, `confidence` (the probability, 0 to 1, that it is the one meant), and why. */
export type SearchResult = Schemas["V1Result"];
/** Answer of `get`: the company, and how the identifier asked for relates to it. */
export type CompanyAnswer = Schemas["V1Entity"];
/** A company in full. */
export type Company = Schemas["V1Record"];
/** Answer of `financials`: the company and its yearly statements, the latest first. */
export type FinancialsAnswer = Schemas["Financials"];
/** A yearly statement; amounts are exact decimal texts in `currency`, times `unit`. */
export type Statement = Schemas["V1Statement"];
/** One amount of a statement. */
export type Figure = Schemas["Figure"];
/** Answer of `coverage`: companies by country, and the sources they come from with their dates. */
export type Coverage = Schemas["Coverage"];
/** Answer of `checkout`: the address to pay at. */
export type Checkout = Schemas["CheckoutShown"];
/** Answer of `usage`: the plan of the key, what is left of its limits, and the answers of the last days. */
export type Usage = Schemas["V1Usage"];
/** Answer of `changes`: a page of changes, the oldest first. */
export type Changes = Schemas["Changes"];
/** A change of a company between two releases. */
export type CompanyChange = Schemas["CompanyChange"];
/** Answer of `match`: a match for each row, in their order. */
export type ListMatches = Schemas["ListMatches"];
/** The company that a row means, and how sure that is. */
export type RowMatch = Schemas["RowMatch"];
/** Description of a company in a row of a list; a name or an identifier at least. */
export type Row = Partial<Schemas["ListRow"]>;
/** Answer of `listWatchlists`: the watchlists of the account, the oldest first. */
export type Watchlists = Schemas["WatchlistList"];
/** A watchlist, and how much it holds. */
export type Watchlist = Schemas["WatchlistSummary"];
/** Answer of `getWatchlist`: a watchlist with its saved searches and a page of its companies. */
export type WatchlistContent = Schemas["WatchlistContent"];
/** Answer of `changeWatchlist`: the watchlist, what was changed, and the companies that were refused. */
export type WatchlistChanged = Schemas["WatchlistChanged"];
/** A company to watch, by any of its official identifiers. */
export type CompanyToWatch = Schemas["CompanyToWatch"];
/** Words of a name to watch: a change fits if the name has all of them. Only in `country`, if it is given. */
export type SearchToSave = Pick<Schemas["SearchToSave"], "text"> & Partial<Schemas["SearchToSave"]>;
/** Answer of `listWebhooks`: the webhooks of the account, the oldest first. */
export type Webhooks = Schemas["WebhookList"];
/** A webhook, without its secret. */
export type Webhook = Schemas["WebhookShown"];
/** A webhook with its secret, which is shown only this once. */
export type WebhookMade = Schemas["WebhookMade"];
/** Answer of `getWebhook`: a webhook and its latest messages, the newest first. */
export type WebhookContent = Schemas["WebhookContent"];
/** A message to a webhook, and how its delivery went. */
export type WebhookMessage = Schemas["MessageShown"];
/** A problem document (RFC 9457), as every error of the service is one. */
export type Problem = Schemas["Problem"];

/** What every call takes. */
export interface CallOptions {
  /** Milliseconds that an attempt of this call may take. As the client, if left out. */
  timeout?: number | undefined;
  /** How often this call is repeated. As the client, if left out. */
  maxRetries?: number | undefined;
  /** Ends the call, its retries included; it rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
}

/** What a search for all results takes besides the query. `limit` is that of a page, 50 if left out. */
export type PagesOptions = Omit<SearchOptions, "cursor">;

/** What a search takes besides the query. */
export interface SearchOptions extends CallOptions {
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
  /** Only companies of this status. */
  status?: NonNullable<Company["status"]> | undefined;
  /** Only activities whose code starts with this. */
  activity?: string | undefined;
  /** Only this legal form, by its code, such as `sa`. */
  legalForm?: string | undefined;
  /** Only this province, state or department. */
  region?: string | undefined;
  /** Only companies with, or without, statements. */
  hasFinancials?: boolean | undefined;
  /** Aspects not to read from the text, separated by commas; `all`: the query is a name or a number. */
  ignore?: string | undefined;
  /** Searches the registers of this country only. All, if left out. */
  country?: CountryCode | undefined;
  /** Results wanted, 1 to 50. 8, if left out. */
  limit?: number | undefined;
}

/** What a page of changes takes. */
export interface ChangesOptions extends CallOptions {
  /** `cursor` of the page before. From the oldest change on, if left out. */
  since?: string | undefined;
  /** Only this country's registers. */
  country?: CountryCode | undefined;
  /** Only changes of this kind. */
  kind?: CompanyChange["change"] | undefined;
  /** Only changes of what this watchlist holds. */
  watchlist?: string | undefined;
  /** Changes wanted, 1 to 1,000. 100, if left out. */
  limit?: number | undefined;
}

/** What a page of a watchlist takes. */
export interface WatchlistPageOptions extends CallOptions {
  /** `nextCursor` of the page before. */
  cursor?: string | undefined;
  /** Companies wanted, 1 to 1,000. 100, if left out. */
  limit?: number | undefined;
}

/** A change of a watchlist. */
export interface WatchlistChange extends CallOptions {
  /** Its new name. As before, if left out. */
  name?: string | undefined;
  /** Companies to watch, at most 1,000. */
  addCompanies?: CompanyToWatch[] | undefined;
  /** Companies to watch no longer, at most 1,000. */
  removeCompanies?: CompanyToWatch[] | undefined;
  /** Searches to save, at most 100. */
  addSearches?: SearchToSave[] | undefined;
  /** Ids of saved searches to remove, at most 100. */
  removeSearches?: string[] | undefined;
}

/** A new webhook. */
export interface NewWebhook extends CallOptions {
  /** An https address whose host has public addresses only. */
  url: string;
  /** Id of the watchlist. */
  watchlist: string;
}

/** A change of a webhook. */
export interface WebhookChange extends CallOptions {
  /** Its new address. As before, if left out. */
  url?: string | undefined;
  /** Whether messages are sent; they wait while it is off. As before, if left out. */
  enabled?: boolean | undefined;
}

/** What a new secret takes. */
export interface RotateOptions extends CallOptions {
  /** Seconds for which the old secret signs beside the new one. A day, if left out. */
  overlapSeconds?: number | undefined;
}

/** What a checkout takes. */
export interface CheckoutOptions extends CallOptions {
  /** The plan to buy: `pro` or `business`. */
  planId: string;
  /**
   * The same key gives the same checkout again: 1 to 255 visible ASCII characters. A new one, if left out: then only the
   * retries of this call share it.
   */
  idempotencyKey?: string | undefined;
}

/** An answer as it is kept. */
export interface KeptAnswer {
  /** The validator that the service gave it. */
  etag: string;
  /** The answer's JSON. */
  body: string;
}

/**
 * Where answers are kept between calls, under their address and language; a `Map` will do. What is kept is never used
 * without asking the service whether it still holds, with the key of the caller. An address holds the query or identifier.
 */
export interface AnswerCache {
  /** What is kept under a name. */
  get(name: string): KeptAnswer | null | undefined | Promise<KeptAnswer | null | undefined>;
  /** Keep an answer, in place of an older one. */
  set(name: string, answer: KeptAnswer): unknown;
}

/** What a client is made of. */
export interface ClientOptions {
  /**
   * The key of an account, `pdr_live_…`; `PADRON_API_KEY` of the environment, if left out. It is sent with every call, in
   * both header fields.
   */
  apiKey?: string | undefined;
  /** Where the service is, with the path it may lie under; `PADRON_BASE_URL` of the environment, if left out. */
  baseUrl?: string | undefined;
  /** Language of hints, labels and errors. Spanish if left out; in a browser, the reader's. */
  language?: "es" | "en" | undefined;
  /** Milliseconds that one attempt may take, its body included; at most 2,147,483,647. 30,000 if left out. */
  timeout?: number | undefined;
  /** How often a call is repeated that met no connection, 408, 429, 500, 502, 503 or 504. 2 if left out. */
  maxRetries?: number | undefined;
  /** What sends a request, in place of the runtime's own `fetch`: for a proxy, a log, a test. It must heed `signal`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Keeps answers, so that one that has not changed is not sent again. None if left out. */
  cache?: AnswerCache | undefined;
  /** Is told of the end of each attempt: for a log, measures, traces. What it throws, the call rejects with. */
  onAttempt?: ((attempt: Attempt) => void) | undefined;
}

/** The end of an attempt of a call. It holds no query, identifier or key. */
export interface Attempt {
  /** Method of the client: `search`, `get` … */
  method: keyof Methods | keyof WatchlistMethods | keyof FileMethods;
  /** 1 for the first attempt of the call, 2 for its first repetition … */
  number: number;
  /** HTTP status; null where no whole answer arrived. */
  status: number | null;
  /** Id of the request, to be named when asking for help. */
  requestId: string | null;
  /** From the request to the last byte of the answer; the wait for a turn is not part of it. */
  milliseconds: number;
}

/** A limit of the plan, and what is left of it. */
export interface Quota {
  /** Its name: `minute` or `day`. */
  name: string;
  /** Calls that are left. */
  remaining: number;
  /** Seconds until there is more. */
  reset: number;
}

/** A result, and the answer that brought it. */
export interface Answered<Result> {
  /** The result of the method. */
  data: Result;
  /** HTTP status; 304 if the result was kept in the cache. */
  status: number;
  /** The fields of the answer. */
  headers: Headers;
  /** Id of the request, to be named when asking for help. */
  requestId: string | null;
  /** What is left of the plan; none if limits are off. */
  quotas: Quota[];
}

/** The methods, each with the answer that brought its result. */
export type WithResponse = {
  [Name in keyof Methods]: (...given: Parameters<Methods[Name]>) => Promise<Answered<Awaited<ReturnType<Methods[Name]>>>>;
};

/** A client: a method for each operation, iterators, and the methods with their answers. None needs `this`. */
export interface Client extends Methods {
  /**
   * All results of a search, the best first; the next page is asked for when it is needed.
   *
   * @param q - Name or identifier, formatted or not, 2 to 1,000 characters.
   * @param options - Country, filters, results a page, signal.
   * @throws {@link APIError} as every method; `bad-cursor` when the service has changed to newer data between two pages.
   */
  pages(q: string, options?: PagesOptions): AsyncGenerator<SearchResult, void, undefined>;
  /**
   * The company of each row of a list of any length, in their order. Rows are taken as they are needed, and sent 500 at a
   * time; they count against a quota of their own.
   *
   * @param rows - The rows, each with a name or an identifier at least.
   * @param options - Signal, timeout and retries of each request.
   * @throws {@link APIError} as every method.
   */
  matchAll(rows: Iterable<Row> | AsyncIterable<Row>, options?: CallOptions): AsyncGenerator<RowMatch, void, undefined>;
  /** The same methods, which give the status, the fields and the quotas of the answer too. */
  withResponse: WithResponse;
}

/** The methods, each a request. */
export interface Methods {
  /**
   * Finds companies by name or official identifier.
   *
   * @param q - Name or identifier, formatted or not, 2 to 1,000 characters.
   * @param options - Country, filters, how many results, page, signal.
   * @throws {@link BadRequestError} for a query or an option that the service does not take.
   * @throws {@link APIError} as every method: its subclasses say what went wrong.
   */
  search(q: string, options?: SearchOptions): Promise<SearchAnswer>;
  /**
   * One company in full, by any of its official identifiers.
   *
   * @param country - Country of the register.
   * @param id - The identifier, formatted or not, in either case: `33.000.167/0001-01`.
   * @param options - Signal.
   * @throws {@link NotFoundError} when the register has no such company.
   * @throws {@link BadRequestError} for what cannot be an identifier of that country.
   */
  get(country: CountryCode, id: string, options?: CallOptions): Promise<CompanyAnswer>;
  /**
   * Yearly statements of one company.
   *
   * @param country - Country of the register.
   * @param id - Any of its official identifiers.
   * @param options - Signal.
   * @throws {@link PermissionDeniedError} `plan-required` when the plan does not include statements.
   * @throws {@link NotFoundError} when the register has no such company.
   */
  financials(country: CountryCode, id: string, options?: CallOptions): Promise<FinancialsAnswer>;
  /**
   * Companies by country, and the official sources with their dates and licences.
   *
   * @param options - Signal.
   */
  coverage(options?: CallOptions): Promise<Coverage>;
  /**
   * The plan of the key, what is left of its limits, and the answers of the last days.
   *
   * @param options - Signal.
   */
  usage(options?: CallOptions): Promise<Usage>;
  /**
   * A page of what changed between releases, the oldest first; while its `more` is true there is another one already.
   *
   * @param options - Where to begin, country, kind, watchlist, how many, signal.
   */
  changes(options?: ChangesOptions): Promise<Changes>;
  /**
   * The company of each of up to 1,000 rows; they count against a quota of their own.
   *
   * @param rows - The rows, each with a name or an identifier at least.
   * @param options - Signal.
   */
  match(rows: Iterable<Row>, options?: CallOptions): Promise<ListMatches>;
  /**
   * Begins to buy a plan; the buyer pays at the `checkoutUrl` of the answer.
   *
   * @param options - The plan, and the `Idempotency-Key` that keeps a repeated call from buying twice.
   * @throws {@link BadRequestError} for an unknown plan.
   * @throws {@link APIStatusError} 409 `plan-already-active`, `plan-lower` or `idempotency-conflict`.
   */
  checkout(options: CheckoutOptions): Promise<Checkout>;
}

/** The methods of watchlists and webhooks, each with the answer that brought its result. */
export type WatchlistMethodsWithResponse = {
  [Name in keyof WatchlistMethods]: (
    ...given: Parameters<WatchlistMethods[Name]>
  ) => Promise<Answered<Awaited<ReturnType<WatchlistMethods[Name]>>>>;
};

/** A client of watchlists and webhooks: a method for each operation, and the methods with their answers. */
export interface WatchlistClient extends WatchlistMethods {
  /** The same methods, which give the status, the fields and the quotas of the answer too. */
  withResponse: WatchlistMethodsWithResponse;
}

/**
 * The methods of watchlists and webhooks, each a request. A POST whose answer is lost is not repeated: it would do it
 * again.
 */
export interface WatchlistMethods {
  /**
   * The watchlists of the account, the oldest first.
   *
   * @param options - Signal.
   */
  listWatchlists(options?: CallOptions): Promise<Watchlists>;
  /**
   * Creates a watchlist, empty at first; `changeWatchlist` fills it.
   *
   * @param name - Its name, unique in the account.
   * @param options - Signal.
   * @throws {@link APIStatusError} 409 `watchlist-name-taken` or `too-many-watchlists`.
   */
  createWatchlist(name: string, options?: CallOptions): Promise<Watchlist>;
  /**
   * A watchlist with its saved searches and a page of its companies, in the order in which they were added.
   *
   * @param id - Id of the watchlist.
   * @param options - Page, how many companies, signal.
   * @throws {@link NotFoundError} when the account has no such watchlist.
   */
  getWatchlist(id: string, options?: WatchlistPageOptions): Promise<WatchlistContent>;
  /**
   * Renames a watchlist; adds or removes companies and saved searches. A company that the directory does not hold is
   * `refused`, and the others are taken.
   *
   * @param id - Id of the watchlist.
   * @param change - What to change, signal.
   * @throws {@link NotFoundError} when the account has no such watchlist.
   */
  changeWatchlist(id: string, change: WatchlistChange): Promise<WatchlistChanged>;
  /**
   * Deletes a watchlist and its webhooks.
   *
   * @param id - Id of the watchlist.
   * @param options - Signal.
   * @throws {@link NotFoundError} when the account has no such watchlist, or has it no longer.
   */
  deleteWatchlist(id: string, options?: CallOptions): Promise<null>;
  /**
   * The webhooks of the account, the oldest first.
   *
   * @param options - Signal.
   */
  listWebhooks(options?: CallOptions): Promise<Webhooks>;
  /**
   * Sends the changes of a watchlist to an address from now on, signed; `verifyWebhook` verifies them.
   *
   * @param webhook - The address and the watchlist, signal.
   * @returns The webhook, and the secret of its signatures, which is shown only this once.
   * @throws {@link BadRequestError} `bad-webhook-url`.
   * @throws {@link NotFoundError} when the account has no such watchlist.
   */
  createWebhook(webhook: NewWebhook): Promise<WebhookMade>;
  /**
   * A webhook, and how its latest messages were delivered, the newest first.
   *
   * @param id - Id of the webhook.
   * @param options - Signal.
   * @throws {@link NotFoundError} when the account has no such webhook.
   */
  getWebhook(id: string, options?: CallOptions): Promise<WebhookContent>;
  /**
   * Changes the address of a webhook, or switches it on or off.
   *
   * @param id - Id of the webhook.
   * @param change - What to change, signal.
   * @throws {@link NotFoundError} when the account has no such webhook.
   */
  changeWebhook(id: string, change: WebhookChange): Promise<Webhook>;
  /**
   * Deletes a webhook and its messages.
   *
   * @param id - Id of the webhook.
   * @param options - Signal.
   * @throws {@link NotFoundError} when the account has no such webhook, or has it no longer.
   */
  deleteWebhook(id: string, options?: CallOptions): Promise<null>;
  /**
   * Makes a new secret of a webhook; the old one signs beside it for a while.
   *
   * @param id - Id of the webhook.
   * @param options - For how long, signal.
   * @returns The webhook, and its new secret, which is shown only this once.
   * @throws {@link APIStatusError} 409 `webhook-rotating`.
   */
  rotateWebhookSecret(id: string, options?: RotateOptions): Promise<WebhookMade>;
  /**
   * Sends a test message to a webhook, unless one waits already; `getWebhook` tells how it went.
   *
   * @param id - Id of the webhook.
   * @param options - Signal.
   * @throws {@link APIStatusError} 409 `webhook-disabled`.
   */
  testWebhook(id: string, options?: CallOptions): Promise<WebhookMessage>;
}

/** A file with the companies of a country; anybody may download it. */
export interface BulkFile {
  /** Code of the country. */
  countryCode: string;
  /** Address, the same from release to release; its extension tells the format: Parquet, or NDJSON in gzip. */
  url: string;
  /** Size. */
  bytes: number;
  /** Checksum, in hexadecimal digits. */
  sha256: string;
}

/** The methods of files, each with the answer that brought its result. */
export type FileMethodsWithResponse = {
  [Name in keyof FileMethods]: (...given: Parameters<FileMethods[Name]>) => Promise<Answered<Awaited<ReturnType<FileMethods[Name]>>>>;
};

/** A client of what the service gives as files: a method for each, and the methods with their answers. */
export interface FileClient extends FileMethods {
  /** The same methods, which give the status, the fields and the quotas of the answer too. */
  withResponse: FileMethodsWithResponse;
}

/** What the service gives as files. */
export interface FileMethods {
  /**
   * Yearly statements of one company as CSV, a figure a line, below a header.
   *
   * @param country - Country of the register.
   * @param id - Any of its official identifiers.
   * @param options - Signal.
   * @throws {@link PermissionDeniedError} `plan-required` when the plan does not include statements.
   * @throws {@link NotFoundError} when the register has no such company.
   */
  financialsCsv(country: CountryCode, id: string, options?: CallOptions): Promise<string>;
  /**
   * The files of the whole directory.
   *
   * @param options - Signal.
   * @throws {@link NotFoundError} when the service has none: they are written by `padron export`.
   */
  bulkFiles(options?: CallOptions): Promise<BulkFile[]>;
}
