// Generated from the OpenAPI descriptions that the service serves: npm run wire

export type components = {
    schemas: {
        /** Answer of a search: the public members, and how reliable the answer is. */
        V1Answer: {
            /** The query as received. */
            q: string;
            /** The country filter. */
            country: ("EC" | "MX" | "US" | "BR" | "CO" | "AR") | null;
            /**
             * `found` if and only if `bestMatch` is not null; `ambiguous`: several match equally; `possible`: something similar, or a list of companies; `invalid_input`: a number that cannot be correct, or nothing to search for.
             * @enum {unknown}
             */
            verdict: "ambiguous" | "found" | "invalid_input" | "not_found" | "possible";
            /** The answer in one sentence, in the reader's language, that can be quoted. */
            sentence: string;
            /** The first result of all when its confidence is 0.85 or higher. */
            bestMatch: components["schemas"]["V1Result"] | null;
            /** Distinct countries of the results, when country was omitted and ≥ 2. */
            suggestedCountries: ("EC" | "MX" | "US" | "BR" | "CO" | "AR")[];
            /** Short tips in the reader's language. */
            matchHints: string[];
            /** The results of this page, the likeliest first. */
            results: components["schemas"]["V1Result"][];
            /** Results on all pages. */
            total: number;
            /** Pass it as `cursor` for the next page; null on the last one. */
            nextCursor: string | null;
            /** The reading of the text. */
            interpretation: components["schemas"]["Interpretation"];
            /** In the order they were tried. */
            steps: components["schemas"]["Step"][];
            /** One answer per company, if the text asks about several. */
            companies: components["schemas"]["CompanyAnswer"][];
            /** The registers that were searched. */
            searched: components["schemas"]["SearchedCountry"][];
            /** Suggested next requests, the most useful first. */
            nextSteps: components["schemas"]["NextStep"][];
        };
        /** Answer of the entity lookup. */
        V1Entity: {
            /** The full record of a company. */
            entity: components["schemas"]["V1Record"];
            /** The requested identifier, in canonical form. */
            requestedIdentifier: components["schemas"]["RequestedIdentifier"];
        };
        /** Answer of the financial history, the latest year first. */
        Financials: {
            /** A company in the answer of a lookup. */
            entity: components["schemas"]["Record"];
            /** A yearly statement with computed measures; a measure with a missing amount is absent. */
            statements: components["schemas"]["V1Statement"][];
            /** Null if there are statements. */
            absence: components["schemas"]["Absence"] | null;
        };
        /** Current record counts by country. */
        Coverage: {
            /** The part of a country in the release. */
            countries: components["schemas"]["CountryCoverage"][];
            /** Companies of all countries. */
            total: number;
            /** Id of the release being served. */
            release: string;
            /**
             * Format: date-time
             * When the release was built.
             */
            generatedAt: string;
        };
        /** A checkout that was started. */
        CheckoutShown: {
            /**
             * Format: uri
             * Page of the payment.
             */
            checkoutUrl: string;
            /** Id of this checkout. */
            checkoutId: string;
            /** The plan that is bought. */
            planId: string;
            /**
             * Format: date-time
             * When the checkout expires.
             */
            expiresAt: string;
        };
        /** The usage of the account and what remains. */
        V1Usage: {
            /** Code of the plan. */
            plan: string;
            /** Scopes of the key. */
            scopes: ("checkout" | "entities" | "financials" | "reconcile" | "search" | "watchlists")[];
            /** Features of the plan. */
            features: "financials"[];
            /** A limit and what remains of it. */
            minute: components["schemas"]["UsageWindow"] | null;
            /** A limit and what remains of it. */
            day: components["schemas"]["UsageWindow"] | null;
            /** A limit and what remains of it. */
            rows: components["schemas"]["UsageWindow"] | null;
            /** The last 31 days with answers or rows, the latest first. */
            history: components["schemas"]["UsageDay"][];
        };
        /** A page of changes, the oldest first. */
        Changes: {
            /** The changes; a page may be empty before the last one. */
            changes: components["schemas"]["CompanyChange"][];
            /** `since` of the next page; also of later changes, once there are any. */
            cursor: string;
            /** Whether there is a next page already. */
            more: boolean;
        };
        /** The companies of a list. */
        ListMatches: {
            /** The release that answers. */
            release: string;
            /** One for each row, in the order of the rows. */
            matches: components["schemas"]["RowMatch"][];
        };
        /** Description of a company in a row of a list; a name or an identifier at least. */
        ListRow: {
            /** Its name, with or without the legal form. */
            name?: string | null;
            /** An official identifier, formatted or not. */
            identifier?: string | number | null;
            /** The country of the register: its code or its name. */
            country?: string | null;
            /** Municipality or city. */
            city?: string | null;
            /** Province, state or department. */
            region?: string | null;
            /** What it does, in words. */
            activity?: string | null;
            /** The legal form, if the name lacks it. */
            legalForm?: string | null;
            /** A name that it had. */
            formerName?: string | null;
            /** Your own key of the row, which its answer repeats. */
            id?: string | number | null;
        };
        /** An error, as RFC 9457 `application/problem+json`. */
        Problem: {
            /**
             * Format: uri-reference
             * Kind of problem, as RFC 9457 names it.
             */
            type: string;
            /** The kind of problem, in a few words. */
            title: string;
            /** HTTP status. */
            status: number;
            /** What went wrong, and how to correct it. */
            detail: string;
            /** URI of this occurrence. */
            instance: string;
            /** Stable; `title` and `detail` follow the language. */
            code: string;
            /** The same as `X-Request-Id`; quote it when asking for help. */
            requestId: string;
            /** A fault in a request. */
            errors?: components["schemas"]["FieldError"][];
            /** The plans that would allow the request, and where to buy them. */
            offer?: components["schemas"]["Offer"];
            /** Rows that are left of the quota today; a list of as many is answered. */
            left?: number;
            /** Quotas that are used up, by their names in `RateLimit-Policy`. */
            "violated-policies"?: string[];
        };
        /** The watchlists of the account, the oldest first. */
        WatchlistList: {
            /** The watchlists. */
            watchlists: components["schemas"]["WatchlistSummary"][];
        };
        /** A watchlist with a page of its companies, in the order in which they were added. */
        WatchlistContent: {
            /** A watchlist, and how much it holds. */
            watchlist: components["schemas"]["WatchlistSummary"];
            /** A page of its companies. */
            companies: components["schemas"]["WatchedEntry"][];
            /** `cursor` of the next page; null: this is the last. */
            nextCursor: string | null;
            /** All its saved searches. */
            searches: components["schemas"]["SavedSearchShown"][];
        };
        /** A watchlist after a change. */
        WatchlistChanged: {
            /** A watchlist, and how much it holds. */
            watchlist: components["schemas"]["WatchlistSummary"];
            /** Companies and searches that it did not hold before. */
            added: number;
            /** Companies and searches that it holds no longer. */
            removed: number;
            /** Companies that could not be added or removed, and why. */
            refused: components["schemas"]["RefusedEntry"][];
        };
        /** A company, by any of its identifiers. */
        CompanyToWatch: {
            /** Its register. */
            country: string;
            /** Any of its official identifiers, formatted or not. */
            identifier: string;
        };
        /** A saved search. */
        SearchToSave: {
            /** Words of a name, in any order: a change fits if the name before or after it has all of them. */
            text: string;
            /**
             * Only this country.
             * @default null
             */
            country: string | null;
        };
        /** The webhooks of the account, the oldest first. */
        WebhookList: {
            /** The webhooks. */
            webhooks: components["schemas"]["WebhookShown"][];
        };
        /** A webhook with its secret, which is shown only this once. */
        WebhookMade: {
            /** A webhook, without its secret. */
            webhook: components["schemas"]["WebhookShown"];
            /** The secret of the signatures: `whsec_` and base64. */
            secret: string;
        };
        /** A webhook and its latest messages, the newest first. */
        WebhookContent: {
            /** A webhook, without its secret. */
            webhook: components["schemas"]["WebhookShown"];
            /** At most 100. */
            messages: components["schemas"]["MessageShown"][];
        };
        /** A search result and its explanation. */
        V1Result: {
            /** Name in the register. */
            legalName: string;
            /** Name it trades under, where the register states one. */
            tradeName: string | null;
            /**
             * Country of the register, not of the seat.
             * @enum {unknown}
             */
            countryCode: "EC" | "MX" | "US" | "BR" | "CO" | "AR";
            /** Scheme of `identifier`, for example `br-cnpj`. */
            scheme: string;
            /** Official identifier in canonical form: no separators. */
            identifier: string;
            /** What the identifier is called, in the reader's language. */
            idLabel: string;
            /** Calibrated probability that this is the company meant. */
            confidence: number | null;
            /** Null: the source publishes none. `unknown`: it publishes one we cannot map. */
            status: ("active" | "annulled" | "dissolved" | "in_liquidation" | "inactive" | "suspended" | "unknown") | null;
            /** Code of the main activity, in the country's own classification. */
            classificationCode: string | null;
            /** Official wording, in the official language. */
            classificationLabel: string | null;
            /** Whether there is a yearly statement in this release. */
            financialsAvailable: boolean;
            /** The company's page in each language. */
            canonicalUrls: components["schemas"]["CanonicalUrls"];
            /**
             * The kind of name or identifier that matched; `activity` in a list of companies.
             * @enum {unknown}
             */
            matchedOn: "activity" | "alternativeName" | "byName" | "formerName" | "identifier" | "legalName" | "ticker" | "tradeName";
            /** Confidence minus that of the next company. */
            margin: number;
            /** The contribution of each feature to the log-odds, the largest first. */
            explanations: {
                [key: string]: number;
            };
            /** Explanation, in the reader's language. */
            explanation: string;
        };
        /** The reading of the text. */
        Interpretation: {
            /**
             * One company, several, or all that fit a description.
             * @enum {unknown}
             */
            intent: "companies" | "company" | "list";
            /**
             * The language of the question; `es` if it is not clear.
             * @enum {unknown}
             */
            language: "en" | "es" | "pt";
            /** Empty for a list. */
            companies: components["schemas"]["AskedCompany"][];
            /** In the order of the text. */
            understood: components["schemas"]["Understood"][];
            /** The aspects that `ignore` switched off. */
            ignored: string[];
            /** Number of companies after the eighth, which were not searched. */
            leftOut: number;
        };
        /** A step of the search. */
        Step: {
            /**
             * Kind of step.
             * @enum {unknown}
             */
            action: "activity" | "broaderName" | "exactName" | "identifier" | "oneDigitRepair" | "otherCountries" | "similarName";
            /** Its input, in the reader's language. */
            detail: string;
            /** Companies found by this step. */
            found: number;
            /** Duration; the only member that may differ between two equal answers. */
            tookMs: number;
        };
        /** The answer about one of several companies. */
        CompanyAnswer: {
            /** The words of the text about it. */
            asked: string;
            /**
             * As the verdict of the whole answer.
             * @enum {unknown}
             */
            verdict: "ambiguous" | "found" | "invalid_input" | "not_found" | "possible";
            /** The answer in one sentence, in the reader's language, that can be quoted. */
            sentence: string;
            /** A search result and its explanation. */
            bestMatch: components["schemas"]["V1Result"] | null;
            /** Three at most. */
            results: components["schemas"]["V1Result"][];
        };
        /** Registers that were searched. */
        SearchedCountry: {
            /**
             * Country of the registers.
             * @enum {unknown}
             */
            countryCode: "EC" | "MX" | "US" | "BR" | "CO" | "AR";
            /** Number of its companies in the release. */
            records: number;
            /** The newest date that its publishers state. */
            date: string | null;
            /** Names of the registers and data sets. */
            sources: string[];
            /** Whether every source is complete and up to date; if not, a company may exist that is not here. */
            complete: boolean;
        };
        /** A suggested next request. */
        NextStep: {
            /**
             * What the request does; `dropFilters` repeats it without its filters, `dropStatus` without the status.
             * @enum {unknown}
             */
            action: "disambiguate" | "dropFilters" | "dropStatus" | "getEntity" | "getFinancials" | "mendIdentifier" | "searchEverywhere" | "seeCoverage";
            /**
             * HTTP method of the call.
             * @enum {unknown}
             */
            method: "GET";
            /**
             * Format: uri
             * URL of the request.
             */
            link: string;
            /** Its purpose, in the reader's language. */
            why: string;
        };
        /** The full record of a company. */
        V1Record: {
            /** Name in the register. */
            legalName: string;
            /** Name it trades under, where the register states one. */
            tradeName: string | null;
            /**
             * Country of the register, not of the seat.
             * @enum {unknown}
             */
            countryCode: "EC" | "MX" | "US" | "BR" | "CO" | "AR";
            /** Scheme of `identifier`, for example `br-cnpj`. */
            scheme: string;
            /** Official identifier in canonical form: no separators. */
            identifier: string;
            /** What the identifier is called, in the reader's language. */
            idLabel: string;
            /** Calibrated probability that this is the company meant. */
            confidence: number | null;
            /** Null: the source publishes none. `unknown`: it publishes one we cannot map. */
            status: ("active" | "annulled" | "dissolved" | "in_liquidation" | "inactive" | "suspended" | "unknown") | null;
            /** Code of the main activity, in the country's own classification. */
            classificationCode: string | null;
            /** Official wording, in the official language. */
            classificationLabel: string | null;
            /** Whether there is a yearly statement in this release. */
            financialsAvailable: boolean;
            /** The company's page in each language. */
            canonicalUrls: components["schemas"]["CanonicalUrls"];
            /** The official source that `legalName` was taken from. */
            source: components["schemas"]["SourceRef"] | null;
            /** Date the publisher states, or else the day the file was retrieved; never our build time. */
            refreshedAt: string | null;
            /** The register's own wording of `status`. */
            officialStatus: string | null;
            /** A legal form. */
            legalForm: components["schemas"]["LegalForm"] | null;
            /** Another name of the company; dates where the register states them. */
            names: components["schemas"]["OtherName"][];
            /** Another official identifier of the company. */
            identifiers: components["schemas"]["OtherIdentifier"][];
            /** The activity of the company: in the country's own classification, then in ISIC where its code tells it. */
            activities: components["schemas"]["Activity"][];
            /** Province, state or department; never a street. */
            region: string | null;
            /** Municipality or canton. */
            municipality: string | null;
            /** Day of incorporation, or of entry into the register. */
            incorporatedOn: string | null;
            /** Day it ended. */
            endedOn: string | null;
            /** Establishments the register counts. */
            establishments: number | null;
            /** ISO 3166-1 alpha-2, of a foreign company in this register. */
            countryOfIncorporation: string | null;
            /** By precedence. */
            sources: components["schemas"]["EntitySource"][];
            /** Member that a source stated -> key, in `sources`, of the one that gave it. */
            provenance: {
                [key: string]: string;
            };
            /** Share of the members above that are known. */
            completeness: number;
            /** Address to continue at. */
            links: components["schemas"]["V1Links"];
        };
        /** The requested identifier, in canonical form. */
        RequestedIdentifier: {
            /** Scheme that was recognized. */
            scheme: string;
            /** The number in canonical form. */
            identifier: string;
            /**
             * How it relates to the company.
             * @enum {unknown}
             */
            match: "alias" | "branch" | "primary";
            /** Null: the scheme has no check digit. */
            validCheck: boolean | null;
        };
        /** A company in the answer of a lookup. */
        Record: {
            /** Name in the register. */
            legalName: string;
            /** Name it trades under, where the register states one. */
            tradeName: string | null;
            /**
             * Country of the register, not of the seat.
             * @enum {unknown}
             */
            countryCode: "EC" | "MX" | "US" | "BR" | "CO" | "AR";
            /** Scheme of `identifier`, for example `br-cnpj`. */
            scheme: string;
            /** Official identifier in canonical form: no separators. */
            identifier: string;
            /** What the identifier is called, in the reader's language. */
            idLabel: string;
            /** Calibrated probability that this is the company meant. */
            confidence: number | null;
            /** Null: the source publishes none. `unknown`: it publishes one we cannot map. */
            status: ("active" | "annulled" | "dissolved" | "in_liquidation" | "inactive" | "suspended" | "unknown") | null;
            /** Code of the main activity, in the country's own classification. */
            classificationCode: string | null;
            /** Official wording, in the official language. */
            classificationLabel: string | null;
            /** Whether there is a yearly statement in this release. */
            financialsAvailable: boolean;
            /** The company's page in each language. */
            canonicalUrls: components["schemas"]["CanonicalUrls"];
            /** The official source that `legalName` was taken from. */
            source: components["schemas"]["SourceRef"] | null;
            /** Date the publisher states, or else the day the file was retrieved; never our build time. */
            refreshedAt: string | null;
        };
        /** A yearly statement with computed measures; a measure with a missing amount is absent. */
        V1Statement: {
            /** The fiscal year as the company names it. */
            fiscalYear: number;
            /** First day, where it is stated. */
            periodStart: string | null;
            /**
             * Format: date
             * Last day.
             */
            periodEnd: string;
            /** ISO 4217, as reported. */
            currency: string;
            /** The value of an amount of 1: always 1. */
            unit: number;
            /**
             * With its subsidiaries; the parent company only; a company that files alone.
             * @enum {unknown}
             */
            scope: "consolidated" | "individual" | "separate";
            /** One amount of a statement, exact, as text: in `currency` times `unit`. */
            figures: components["schemas"]["Figure"][];
            /** People employed, where the source states it. */
            employees: number | null;
            /** A later filing changed a figure by more than 0.1 %. */
            restated: boolean;
            /** The filing from which the net profit was taken. */
            filing: components["schemas"]["Filing"];
            /** An official source with its licence. */
            source: components["schemas"]["EntitySource"];
            /** Checks that the published figures fail. */
            checks: string[];
            /** Growth over the year before, in the same currency and scope. */
            growth: components["schemas"]["Measure"][];
            /** A number computed from two amounts (docs/v1: which, and how). */
            ratios: components["schemas"]["Measure"][];
        };
        /** Reason for the absence of statements. */
        Absence: {
            /**
             * `not-published`: the country publishes no statements as open data; `none-held`: this release has none of this company.
             * @enum {unknown}
             */
            reason: "none-held" | "not-published";
            /** The reason in Spanish, to be quoted. */
            es: string;
            /** The same in English. */
            en: string;
        };
        /** The part of a country in the release. */
        CountryCoverage: {
            /**
             * Country of the registers.
             * @enum {unknown}
             */
            countryCode: "EC" | "MX" | "US" | "BR" | "CO" | "AR";
            /** Companies in the directory. */
            companies: number;
            /** Companies by the scheme of their `identifier`. */
            byScheme: {
                [key: string]: number;
            };
            /** An official source of the records of a country. */
            sources: components["schemas"]["SourceState"][];
            /**
             * Companies that exist, for comparison with `companies`; null if no document states it.
             * @default null
             */
            existing: components["schemas"]["OfficialCompanyCount"] | null;
            /**
             * Kinds of company that the sources lack.
             * @default []
             */
            notCovered: components["schemas"]["NotCovered"][];
        };
        /** A limit and what remains of it. */
        UsageWindow: {
            /** Requests, answers or rows of lists in total. */
            limit: number;
            /** Remaining requests, answers or rows. */
            remaining: number;
            /**
             * Format: date-time
             * When the quota is full again.
             */
            resetsAt: string;
        };
        /** Successful answers and matched rows of lists of one UTC day. */
        UsageDay: {
            /**
             * Format: date
             * The date.
             */
            date: string;
            /** Number of answers. */
            answers: number;
            /** Number of rows of lists that were matched. */
            rows: number;
        };
        /** A change of a company between two releases. */
        CompanyChange: {
            /**
             * `new`, `gone`: it entered the directory, or left it. `renumbered`: its identifier changed. `renamed`. `status-changed`. `new-statements`: it has statements of further years.
             * @enum {unknown}
             */
            change: "gone" | "new" | "new-statements" | "renamed" | "renumbered" | "status-changed";
            /**
             * Country of the register.
             * @enum {unknown}
             */
            countryCode: "EC" | "MX" | "US" | "BR" | "CO" | "AR";
            /** Scheme of the identifier. */
            scheme: string;
            /** The current identifier, or the last one. */
            identifier: string;
            /** The current name, or the last one. */
            legalName: string;
            /** The identifier, name or status before; null for other changes. */
            before: string | null;
            /** The same after it, or the new years. */
            after: string | null;
            /** The release that brought the change. */
            release: string;
            /**
             * Format: date-time
             * The time at which that release was built.
             */
            releasedAt: string;
        };
        /** The company that a row means, and how sure that is. */
        RowMatch: {
            /**
             * `found`: with a confidence of 0.85 or higher. `ambiguous`: several fit alike. `possible`: one to review. `not_found`. `invalid_input`: the row cannot be read, `reason` says why.
             * @enum {unknown}
             */
            verdict: "ambiguous" | "found" | "invalid_input" | "not_found" | "possible";
            /**
             * A company in search results.
             * @default null
             */
            company: components["schemas"]["Teaser"] | null;
            /**
             * What agrees: `identifier`, `legalName`, `tradeName`, `formerName` …
             * @default null
             */
            matchedOn: string | null;
            /**
             * A company in search results.
             * @default null
             */
            second: components["schemas"]["Teaser"] | null;
            /** What the columns of the row say against each other, or against the register. */
            conflicts: string[];
            /** Why, in one or more sentences in the reader's language. */
            reason: string;
            /** The `id` of the row, if it has one. */
            id?: string | number;
        };
        /** A fault in a request. */
        FieldError: {
            /** What is wrong, and how to correct it. */
            detail: string;
            /** Name of the parameter. */
            parameter?: string;
            /** JSON Pointer into the body. */
            pointer?: string;
        };
        /** The plans that would allow the request, and where to buy them. */
        Offer: {
            /** Plans that include it, the cheapest first. */
            plans: string[];
            /**
             * Format: uri
             * Page where a person chooses a plan.
             */
            page: string;
            /**
             * Format: uri
             * URL to which a program sends `planId` with POST.
             */
            operation: string;
        };
        /** A watchlist, and how much it holds. */
        WatchlistSummary: {
            /** Id of the watchlist. */
            id: string;
            /** Its name. */
            name: string;
            /**
             * Format: date-time
             * When it was created.
             */
            createdAt: string;
            /** Number of its companies. */
            companies: number;
            /** Number of its saved searches. */
            searches: number;
        };
        /** A company of a watchlist. */
        WatchedEntry: {
            /**
             * Country of the register.
             * @enum {unknown}
             */
            countryCode: "EC" | "MX" | "US" | "BR" | "CO" | "AR";
            /** The identifier by which it was added, in canonical form. */
            identifier: string;
            /** Its name in the current release; null: the release does not have it. */
            legalName: string | null;
            /**
             * Format: date-time
             * When it was added.
             */
            addedAt: string;
        };
        /** A saved search. */
        SavedSearchShown: {
            /** Id of the search. */
            id: string;
            /** Words of a name. */
            text: string;
            /** Only this country; null: all. */
            country: ("EC" | "MX" | "US" | "BR" | "CO" | "AR") | null;
            /**
             * Format: date-time
             * When it was added.
             */
            addedAt: string;
        };
        /** A company that was not added or removed. */
        RefusedEntry: {
            /** Its place in the request (JSON Pointer). */
            pointer: string;
            /** Code of the error. */
            code: string;
            /** What is wrong, and what helps. */
            detail: string;
        };
        /** A webhook, without its secret. */
        WebhookShown: {
            /** Id of the webhook. */
            id: string;
            /** Id of its watchlist. */
            watchlist: string;
            /** Where messages are sent. */
            url: string;
            /**
             * Format: date-time
             * When it was created.
             */
            createdAt: string;
            /** Tries that failed since the last success. */
            failedTries: number;
            /** When the message that failed is sent again; null: none failed. */
            nextTryAt: string | null;
            /** When it was switched off, by its owner or after failures. */
            disabledAt: string | null;
        };
        /** A message, and how its delivery went. */
        MessageShown: {
            /** Id of the message: `webhook-id`. */
            id: string;
            /**
             * Type of the event.
             * @enum {unknown}
             */
            type: "companies.changed" | "webhook.test";
            /**
             * `withdrawn`: its companies left the service before it was delivered.
             * @enum {unknown}
             */
            state: "delivered" | "waiting" | "withdrawn";
            /** How often it was sent. */
            tries: number;
            /** HTTP status of the last answer; null: there was none. */
            status: number | null;
            /** Why the last try failed; null: it did not. `not-public`: the host has an address that is not public. `redirect`: redirects are not followed. */
            fault: ("not-public" | "redirect" | "status" | "timeout" | "unreachable" | "unresolved") | null;
            /**
             * Format: date-time
             * When it was queued.
             */
            createdAt: string;
            /** When it was sent last. */
            lastTryAt: string | null;
        };
        /** The company's page in each language. */
        CanonicalUrls: {
            /**
             * Format: uri
             * In Spanish.
             */
            es: string;
            /**
             * Format: uri
             * In English.
             */
            en: string;
        };
        /** A company that the text asks about. */
        AskedCompany: {
            /** The words of the text about it. */
            text: string;
            /** The scheme that the text names. */
            scheme: string | null;
            /** In the order they are tried. */
            readings: components["schemas"]["Reading"][];
        };
        /** An aspect read from the text besides the names in it. */
        Understood: {
            /**
             * The value for `ignore` that stops this reading; `scheme` is a kind of identifier.
             * @enum {unknown}
             */
            aspect: "activity" | "country" | "hasFinancials" | "legalForm" | "listed" | "region" | "scheme" | "status";
            /** The words of the text that state it. */
            text: string;
            /** Its value: a code, if the aspect has codes. */
            value: string;
        };
        /** The official source that `legalName` was taken from. */
        SourceRef: {
            /** Name of the register or data set. */
            sourceName: string | null;
            /** Address at its publisher. */
            sourceUrl: string | null;
        };
        /** A legal form. */
        LegalForm: {
            /** Our stable code within the country. */
            code: string | null;
            /** Name in Spanish. */
            es: string | null;
            /** Name in English. */
            en: string | null;
            /** The register's own wording, if it publishes one. */
            official: string | null;
        };
        /** Another name of the company; dates where the register states them. */
        OtherName: {
            /**
             * Kind of name.
             * @enum {unknown}
             */
            kind: "alternative" | "byName" | "former" | "ticker" | "trade";
            /** The name. */
            name: string;
            /** First day. */
            since: string | null;
            /** Last day. */
            until: string | null;
        };
        /** Another official identifier of the company. */
        OtherIdentifier: {
            /** Scheme of `identifier`, for example `lei`. */
            scheme: string;
            /** The number in canonical form. */
            identifier: string;
            /** Its name, in the reader's language. */
            idLabel: string;
        };
        /** The activity of the company: in the country's own classification, then in ISIC where its code tells it. */
        Activity: {
            /** Code of the activity. */
            code: string | null;
            /** Official wording, in the official language; of ISIC in the reader's. */
            label: string | null;
            /** The classification: CIIU, SCIAN, SIC, CNAE or CLAE; ISIC. Null without a code. */
            system: string | null;
            /** Version of the classification. Null without a code. */
            version: string | null;
        };
        /** An official source with its licence. */
        EntitySource: {
            /** Our stable key of the source. */
            key: string;
            /** Name of the register or data set. */
            name: string;
            /** Its publisher. */
            publisher: string;
            /** Its address at the publisher. */
            url: string | null;
            /** Terms it may be used under. */
            licence: string;
            /** Attribution to give when using it. */
            attribution: string;
        };
        /** Address to continue at. */
        V1Links: {
            /** This answer. */
            self: string;
            /** Yearly statements. */
            financials: string;
            /** The public answer. */
            public: string;
        };
        /** One amount of a statement, exact, as text: in `currency` times `unit`. */
        Figure: {
            /** revenue, grossProfit, netProfit, assets, equity …; a figure not stated is absent. */
            key: string;
            /** Its name, in the reader's language. */
            label: string;
            /** A decimal number. */
            amount: string;
            /** Tag, account or column of the source that it was taken from. */
            basis: string | null;
            /** As first reported, where a later filing changed it. */
            firstReported: string | null;
        };
        /** The filing from which the net profit was taken. */
        Filing: {
            /** Its kind, as the publisher calls it: 10-K, 20-F, DFP … */
            form: string | null;
            /** The publisher's reference. */
            reference: string | null;
            /** Date of the filing. */
            filedOn: string | null;
        };
        /** A number computed from two amounts (docs/v1: which, and how). */
        Measure: {
            /** For a growth the figure that grew; for a ratio netMargin, returnOnEquity … */
            key: string;
            /** Its name, in the reader's language. */
            label: string;
            /** 0.05 is five percent; rounded to four decimals. */
            value: number;
        };
        /** An official source of the records of a country. */
        SourceState: {
            /** Name of the register or data set. */
            name: string;
            /** Its address at the publisher. */
            url: string | null;
            /** Terms it may be used under. */
            licence: string;
            /** Attribution to give when using it. */
            attribution: string;
            /** Date of the newest data of this source in the release. */
            date: string | null;
            /** Number of companies with data from this source. */
            records: number;
            /**
             * `late`: older than the publication interval; `failed`: the last download failed; `manual`: downloaded by hand.
             * @enum {unknown}
             */
            state: "failed" | "fresh" | "late" | "manual";
        };
        /** The number of companies of a country according to a public document. */
        OfficialCompanyCount: {
            /** The number that the document states. */
            count: number;
            /** What the document counts, in the reader's language. */
            counted: string;
            /**
             * Format: date
             * Day for which it is stated.
             */
            date: string;
            /** The document. */
            title: string;
            /** Its address. */
            url: string;
        };
        /** A kind of company that the sources lack, wholly or in part, and where it is registered. */
        NotCovered: {
            /** The kind of company, in the reader's language. */
            kind: string;
            /** The official register to look it up in. */
            register: string;
            /** Its address. */
            registerUrl: string;
            /** The public document that says so. */
            title: string;
            /** Its address. */
            url: string;
        };
        /** A company in search results. */
        Teaser: {
            /** Name in the register. */
            legalName: string;
            /** Name it trades under, where the register states one. */
            tradeName: string | null;
            /**
             * Country of the register, not of the seat.
             * @enum {unknown}
             */
            countryCode: "EC" | "MX" | "US" | "BR" | "CO" | "AR";
            /** Scheme of `identifier`, for example `br-cnpj`. */
            scheme: string;
            /** Official identifier in canonical form: no separators. */
            identifier: string;
            /** What the identifier is called, in the reader's language. */
            idLabel: string;
            /** Calibrated probability that this is the company meant. */
            confidence: number | null;
            /** Null: the source publishes none. `unknown`: it publishes one we cannot map. */
            status: ("active" | "annulled" | "dissolved" | "in_liquidation" | "inactive" | "suspended" | "unknown") | null;
            /** Code of the main activity, in the country's own classification. */
            classificationCode: string | null;
            /** Official wording, in the official language. */
            classificationLabel: string | null;
            /** Whether there is a yearly statement in this release. */
            financialsAvailable: boolean;
            /** The company's page in each language. */
            canonicalUrls: components["schemas"]["CanonicalUrls"];
        };
        /** One reading of the name of a company. */
        Reading: {
            /**
             * The text unchanged; without the words of the question; without the words that describe the company.
             * @enum {unknown}
             */
            how: "bare" | "torn" | "whole";
            /** The name that was searched. */
            name: string;
            /** Country in which it was searched. */
            country: ("EC" | "MX" | "US" | "BR" | "CO" | "AR") | null;
            /** Whether the results come from this reading. */
            chosen: boolean;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
};
