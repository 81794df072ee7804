/**
 * What can go wrong. Every error of this library is an `APIError`:
 *
 *     APIError
 *     ├── APIConnectionError          no whole answer arrived
 *     │   └── APITimeoutError         no whole answer arrived in time
 *     ├── APIResponseError            a successful answer that is not what the description says
 *     └── APIStatusError              the service said no; `code` tells why
 *         ├── BadRequestError         400
 *         ├── AuthenticationError     401
 *         ├── PermissionDeniedError   403
 *         ├── NotFoundError           404
 *         ├── RateLimitError          429
 *         └── ServerError             5xx
 *
 * A wrong argument is a `TypeError`, and a call that its own `signal` ends rejects with the reason of that signal.
 * No text of an error holds the API key.
 */
import type { Problem } from "./types";

/** The root of all errors of this library. */
export class APIError extends Error {
  /** The name of the class, also where a bundler has shortened it. */
  override get name(): string {
    return "APIError";
  }
}

/** No whole answer arrived: no connection, or it was cut off. Its `cause` says what the runtime said. */
export class APIConnectionError extends APIError {
  override get name(): string {
    return "APIConnectionError";
  }
}

/** No whole answer arrived within `timeout`. */
export class APITimeoutError extends APIConnectionError {
  override get name(): string {
    return "APITimeoutError";
  }
}

/** A successful answer that is not what the description says: a proxy's page, half of a document; or one of more than 32 MiB. */
export class APIResponseError extends APIError {
  /** HTTP status. */
  readonly status: number;
  /** Id of the request, to be named when asking for help; null where no header field carries one. */
  readonly requestId: string | null;

  /** Made by the library. */
  constructor(status: number, requestId: string | null, message = `${status}, but the answer is not what the description says`) {
    super(message);
    this.status = status;
    this.requestId = requestId;
  }

  override get name(): string {
    return "APIResponseError";
  }
}

/** The service said no. */
export class APIStatusError extends APIError {
  /** HTTP status; 0 where a browser met a redirect, whose status it does not tell. */
  readonly status: number;
  /** What is wrong, for programs: never changes, see the list of codes of the service. Null where the answer has none. */
  readonly code: string | null;
  /** The answer's problem document (RFC 9457), its words in the language asked for; null where there is none. */
  readonly problem: Problem | null;
  /** Id of the request, to be named when asking for help. */
  readonly requestId: string | null;
  /** Seconds to wait before asking again; null where the service does not say. */
  readonly retryAfter: number | null;

  /** Made by the library. */
  constructor(status: number, problem: Problem | null, requestId: string | null, retryAfter: number | null) {
    const code = text(problem?.code);
    const silent = status < 400 ? "a redirect, which is not followed" : "the answer does not say why";
    const detail = text(problem?.detail) ?? text(problem?.title) ?? silent;
    super(`${code ? `${status} ${code}` : status}: ${detail}`);
    this.status = status;
    this.code = code;
    this.problem = problem;
    this.requestId = requestId ?? text(problem?.requestId);
    this.retryAfter = retryAfter;
  }

  override get name(): string {
    return "APIStatusError";
  }
}

/** 400: the service does not understand the request. `problem.errors` names the parameter. */
export class BadRequestError extends APIStatusError {
  override get name(): string {
    return "BadRequestError";
  }
}

/** 401: the key is missing, malformed, unknown, revoked or expired; `code` tells which. */
export class AuthenticationError extends APIStatusError {
  override get name(): string {
    return "AuthenticationError";
  }
}

/** 403: the plan does not include this (`plan-required`), or the key does not reach it (`scope-missing`). */
export class PermissionDeniedError extends APIStatusError {
  override get name(): string {
    return "PermissionDeniedError";
  }
}

/** 404: no such company in the register; `problem.detail` says how fresh the sources are. */
export class NotFoundError extends APIStatusError {
  override get name(): string {
    return "NotFoundError";
  }
}

/** 429: too many requests, or the day's quota is spent. `retryAfter` says for how many seconds. */
export class RateLimitError extends APIStatusError {
  override get name(): string {
    return "RateLimitError";
  }
}

/** 5xx: a fault of the service, or it is not ready. */
export class ServerError extends APIStatusError {
  override get name(): string {
    return "ServerError";
  }
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
