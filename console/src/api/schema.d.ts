export interface paths {
    "/v1/kinds": {
        parameters: {
        };
        /** /v1/kinds */
        get: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/loops": {
        parameters: {
        };
        /** /v1/loops */
        get: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/guards": {
        parameters: {
        };
        /** GET every guard, and every limit with its values in force. */
        get: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/switches": {
        parameters: {
        };
        /** /v1/switches */
        get: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/switches/{key}": {
        parameters: {
        };
        /** /v1/switches/{key:path} */
        put: {
            parameters: {
                path: {
                    key: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
        /** /v1/switches/{key:path} */
        delete: {
            parameters: {
                path: {
                    key: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/me": {
        parameters: {
        };
        /** GET who the credential says you are, and the roles it gives. */
        get: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/me:can-i": {
        parameters: {
        };
        /** GET whether you may: `verb`, `key`, and where; with `explain=1`, every rule that was considered. */
        get: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/roles:seeded": {
        parameters: {
        };
        /** GET the roles that every organization begins with, and their rules. */
        get: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/permissions": {
        parameters: {
        };
        /** GET every key that a rule can speak of, and the verbs. */
        get: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/access:who-can": {
        parameters: {
        };
        /** GET everybody of the organization who may, each with the rule that says so: read a page at a time. */
        get: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/access:explain": {
        parameters: {
        };
        /** GET the same about somebody else: `who` is a member's address or a token's name. */
        get: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/me/tokens": {
        parameters: {
        };
        /** GET those that you made for yourself. */
        get: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
        /** POST: one that acts as you, with your rights as they are at each request or less. */
        post: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/me/tokens/{id}": {
        parameters: {
        };
        /** DELETE one of yours. */
        delete: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/members": {
        parameters: {
        };
        /** GET everybody whom a membership is for, with how it stands. */
        get: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/members/{name}": {
        parameters: {
        };
        /** GET one of them. */
        get: {
            parameters: {
                path: {
                    organization: string;
                    name: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/projects/{project}/workspaces/{workspace}/keys": {
        parameters: {
        };
        /** GET the keys of a workspace. */
        get: {
            parameters: {
                path: {
                    organization: string;
                    project: string;
                    workspace: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
        /** POST: a key that reaches this workspace and nothing else. */
        post: {
            parameters: {
                path: {
                    organization: string;
                    project: string;
                    workspace: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/projects/{project}/workspaces/{workspace}/keys/{id}": {
        parameters: {
        };
        /** DELETE one of this workspace. */
        delete: {
            parameters: {
                path: {
                    organization: string;
                    project: string;
                    workspace: string;
                    id: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/tokens": {
        parameters: {
        };
        /** GET them, never the secrets: these are known to nobody but their holders. */
        get: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
        /** POST: a new one; the answer is the only time that its secret is shown. */
        post: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/tokens/{id}": {
        parameters: {
        };
        /** DELETE: from the next request on it opens nothing, and streams opened with it end. */
        delete: {
            parameters: {
                path: {
                    organization: string;
                    id: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/secrets": {
        parameters: {
        };
        /** GET them: names, versions, who and when, and what names each; never what they say. */
        get: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/secrets/{name}:retire": {
        parameters: {
        };
        /** POST: forget the version before; refused until all that name it were seen with the new one. */
        post: {
            parameters: {
                path: {
                    organization: string;
                    name: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/secrets/{name}": {
        parameters: {
        };
        /** PUT its value, in the body; with `keep_previous` both are good until the new one is seen in use. */
        put: {
            parameters: {
                path: {
                    organization: string;
                    name: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
        /** DELETE: refused while something names it. */
        delete: {
            parameters: {
                path: {
                    organization: string;
                    name: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/declarations": {
        parameters: {
        };
        /** POST: declare them; with `prune`, withdraw what the same owner declared before and left out now. */
        post: {
            parameters: {
                query?: {
                    /** @description true: only ask what it would do. */
                    dry_run?: "true" | "false" | "1" | "0";
                };
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/plans": {
        parameters: {
        };
        /** GET them in short, newest first: a plan may be about thousands. */
        get: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
        /** POST: what declaring them would do. Stores the question; the scheduler answers it. */
        post: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/contested": {
        parameters: {
        };
        /** GET contested items with the command that releases each; an object's items are on one page. */
        get: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/plans/{id}:approve": {
        parameters: {
        };
        /** The digest that was shown is sent back: what is approved is what was seen, or only these items. */
        post: {
            parameters: {
                path: {
                    organization: string;
                    id: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/plans/{id}:reject": {
        parameters: {
        };
        /** Nothing is let through, so the digest may be left out; a wrong one is still refused. */
        post: {
            parameters: {
                path: {
                    organization: string;
                    id: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/plans/{id}:review": {
        parameters: {
        };
        /** GET what belongs beside a plan. */
        get: {
            parameters: {
                path: {
                    organization: string;
                    id: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/plans/{id}:progress": {
        parameters: {
        };
        /** GET how far each change is, those that began first on top. */
        get: {
            parameters: {
                path: {
                    organization: string;
                    id: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/plans/{id}:changes": {
        parameters: {
        };
        /** GET the changes of a plan: all, of a `group`, of an `outcome`, or otherwise `than` an older one. */
        get: {
            parameters: {
                path: {
                    organization: string;
                    id: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/plans/{id}": {
        parameters: {
        };
        /** GET one by its causes, with the first changes, or with `view=groups` none; see `:changes`. */
        get: {
            parameters: {
                path: {
                    organization: string;
                    id: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/passes": {
        parameters: {
        };
        /** GET the passes that had something to decide, in short, newest first. */
        get: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/passes:rehearse": {
        parameters: {
        };
        /** POST limits: the passes that would have gone another way, among one page of the newest. */
        post: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/passes/{id}:replay": {
        parameters: {
        };
        /** GET what the guards say today about what they saw then, each with its numbers. */
        get: {
            parameters: {
                path: {
                    organization: string;
                    id: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
        /** POST other limits, another mode, or items to leave out: what the guards would have said then. */
        post: {
            parameters: {
                path: {
                    organization: string;
                    id: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/passes/{id}:changes": {
        parameters: {
        };
        /** GET the changes that a recorded pass planned: all, or those of a `group`. */
        get: {
            parameters: {
                path: {
                    organization: string;
                    id: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/passes/{id}": {
        parameters: {
        };
        /** GET one pass by the causes of its changes, with what it was judged by; see also `:changes`. */
        get: {
            parameters: {
                path: {
                    organization: string;
                    id: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/tasks": {
        parameters: {
        };
        /** /v1/organizations/{organization}/tasks */
        get: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/tasks/{id}": {
        parameters: {
        };
        /** /v1/organizations/{organization}/tasks/{id} */
        get: {
            parameters: {
                path: {
                    organization: string;
                    id: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/events": {
        parameters: {
        };
        /** A page, oldest first, or a stream with `watch=1`. */
        get: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/audit": {
        parameters: {
        };
        /** GET it oldest first, or with `order_by=revision desc`; `actor`, `action` and `about` narrow it. */
        get: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/audit:verify": {
        parameters: {
        };
        /** The whole chain, to its head, and whether it holds all that was shipped; no line is shown. */
        get: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/audit:verify": {
        parameters: {
        };
        /** GET the same of what lies in no organization: accounts, sessions, who runs the installation. */
        get: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/operations": {
        parameters: {
        };
        /** GET them, newest first. What is no operation, or not theirs to see, leaves its place empty. */
        get: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/operations/{id}:wait": {
        parameters: {
        };
        /** GET one when it is over, or as it is after `timeout` seconds. */
        get: {
            parameters: {
                path: {
                    organization: string;
                    id: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/operations/{id}:cancel": {
        parameters: {
        };
        /** POST: stop before the next step, and undo what was done. Accepted; it ends when that is so. */
        post: {
            parameters: {
                path: {
                    organization: string;
                    id: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/operations/{id}:retry": {
        parameters: {
        };
        /** POST: begin a task once more that failed or was cancelled, as a new one; `retry` has where. */
        post: {
            parameters: {
                path: {
                    organization: string;
                    id: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/operations/{id}": {
        parameters: {
        };
        /** GET one: how far it is, and how it ended. */
        get: {
            parameters: {
                path: {
                    organization: string;
                    id: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/agent/enrol": {
        parameters: {
        };
        /** POST: exchange the one-time token for a key that only this agent has. */
        post: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/agent/heartbeat": {
        parameters: {
        };
        /** POST: alive, with facts. */
        post: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/sessions": {
        parameters: {
        };
        /** POST email, password and code: a new session, in a cookie; in the answer if `cookie` is false. */
        post: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/links:open": {
        parameters: {
        };
        /** POST: what this link is for, without using it. */
        post: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/links:use": {
        parameters: {
        };
        /** POST: set up the account, or prove to be whoever it is for; the answer is a new session. */
        post: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/accounts:recover": {
        parameters: {
        };
        /** POST an address: whoever has an account there is written a link. The answer is the same for all. */
        post: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/sessions/current": {
        parameters: {
        };
        /** DELETE: this session opens nothing from the next request on. */
        delete: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/sessions/current:confirm": {
        parameters: {
        };
        /** POST password and code: the session goes on under a new id, and counts as confirmed for a while. */
        post: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/me/sessions": {
        parameters: {
        };
        /** GET the sessions that are open, with where they were begun. */
        get: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/me/sessions/{id}": {
        parameters: {
        };
        /** DELETE one of them. */
        delete: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/me:password": {
        parameters: {
        };
        /** POST a new password; every other session ends with it. */
        post: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/me/totp": {
        parameters: {
        };
        /** POST: a key for an authenticator, shown this once; it counts once its first code was sent. */
        post: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
        /** DELETE: signing in needs the password alone, which has to be long enough for that. */
        delete: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/me/totp:confirm": {
        parameters: {
        };
        /** POST the first code: from now on signing in needs one. The recovery codes are shown this once. */
        post: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/accounts": {
        parameters: {
        };
        /** GET everybody who has an account, newest first. */
        get: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
        /** POST: an account whose person is written a link to set it up; the letter is in the outbox. */
        post: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/accounts/{id}": {
        parameters: {
        };
        /** GET one of them. */
        get: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
        /** DELETE: the account and everything that opened something in its name. */
        delete: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
        /** PATCH name, administrator, disabled; second_factor false takes a lost one away. */
        patch: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/accounts/{id}/sessions": {
        parameters: {
        };
        /** DELETE every session of this person. */
        delete: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/audit": {
        parameters: {
        };
        /** GET who did what to the installation itself: accounts, sessions, switches above everybody. */
        get: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/outbox": {
        parameters: {
        };
        /** GET what was written to people; the link of a letter is there until it is used or has run out. */
        get: {
            parameters: {
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/inventory": {
        parameters: {
        };
        /** GET objects of every kind, or of `kind`; `text` is looked for in names and labels. */
        get: {
            parameters: {
                query?: {
                    /** @description 1 to 500. */
                    page_size?: number;
                    /** @description Of the page before. */
                    page_token?: string;
                    /** @description Only in this state. */
                    state?: string;
                    /** @description Only with these labels: a=b,c=d. */
                    labels?: string;
                    /** @description Only what this expression is true of. */
                    filter?: string;
                    /** @description created, name or changed; with desc after it downwards. */
                    order_by?: string;
                    /** @description Only these parts: spec.url,metadata.name. */
                    fields?: string;
                    /** @description Whether to count all of them. */
                    total?: "true" | "false" | "1" | "0";
                    /** @description 1: a stream of events instead. */
                    watch?: "true" | "false" | "1" | "0";
                    /** @description The revision after which the stream begins. */
                    since?: number;
                    /** @description Seconds before now at which the stream begins; for whoever reads first and listens then. */
                    back?: number;
                };
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/inventory:summary": {
        parameters: {
        };
        /** GET how many of each kind are in which state. */
        get: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/inventory:attention": {
        parameters: {
        };
        /** GET what is not READY, worst first; what was never looked at is not among it. */
        get: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/projects/{project}/inventory": {
        parameters: {
        };
        /** GET objects of every kind, or of `kind`; `text` is looked for in names and labels. */
        get: {
            parameters: {
                query?: {
                    /** @description 1 to 500. */
                    page_size?: number;
                    /** @description Of the page before. */
                    page_token?: string;
                    /** @description Only in this state. */
                    state?: string;
                    /** @description Only with these labels: a=b,c=d. */
                    labels?: string;
                    /** @description Only what this expression is true of. */
                    filter?: string;
                    /** @description created, name or changed; with desc after it downwards. */
                    order_by?: string;
                    /** @description Only these parts: spec.url,metadata.name. */
                    fields?: string;
                    /** @description Whether to count all of them. */
                    total?: "true" | "false" | "1" | "0";
                    /** @description 1: a stream of events instead. */
                    watch?: "true" | "false" | "1" | "0";
                    /** @description The revision after which the stream begins. */
                    since?: number;
                    /** @description Seconds before now at which the stream begins; for whoever reads first and listens then. */
                    back?: number;
                };
                path: {
                    organization: string;
                    project: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/projects/{project}/inventory:summary": {
        parameters: {
        };
        /** GET how many of each kind are in which state. */
        get: {
            parameters: {
                path: {
                    organization: string;
                    project: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/projects/{project}/inventory:attention": {
        parameters: {
        };
        /** GET what is not READY, worst first; what was never looked at is not among it. */
        get: {
            parameters: {
                path: {
                    organization: string;
                    project: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/projects/{project}/workspaces/{workspace}/inventory": {
        parameters: {
        };
        /** GET objects of every kind, or of `kind`; `text` is looked for in names and labels. */
        get: {
            parameters: {
                query?: {
                    /** @description 1 to 500. */
                    page_size?: number;
                    /** @description Of the page before. */
                    page_token?: string;
                    /** @description Only in this state. */
                    state?: string;
                    /** @description Only with these labels: a=b,c=d. */
                    labels?: string;
                    /** @description Only what this expression is true of. */
                    filter?: string;
                    /** @description created, name or changed; with desc after it downwards. */
                    order_by?: string;
                    /** @description Only these parts: spec.url,metadata.name. */
                    fields?: string;
                    /** @description Whether to count all of them. */
                    total?: "true" | "false" | "1" | "0";
                    /** @description 1: a stream of events instead. */
                    watch?: "true" | "false" | "1" | "0";
                    /** @description The revision after which the stream begins. */
                    since?: number;
                    /** @description Seconds before now at which the stream begins; for whoever reads first and listens then. */
                    back?: number;
                };
                path: {
                    organization: string;
                    project: string;
                    workspace: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/projects/{project}/workspaces/{workspace}/inventory:summary": {
        parameters: {
        };
        /** GET how many of each kind are in which state. */
        get: {
            parameters: {
                path: {
                    organization: string;
                    project: string;
                    workspace: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/projects/{project}/workspaces/{workspace}/inventory:attention": {
        parameters: {
        };
        /** GET what is not READY, worst first; what was never looked at is not among it. */
        get: {
            parameters: {
                path: {
                    organization: string;
                    project: string;
                    workspace: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/activity": {
        parameters: {
        };
        /** GET the last sixty minutes as counts, oldest first, and what was told last. */
        get: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/projects/{project}/activity": {
        parameters: {
        };
        /** GET the last sixty minutes as counts, oldest first, and what was told last. */
        get: {
            parameters: {
                path: {
                    organization: string;
                    project: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/projects/{project}/workspaces/{workspace}/activity": {
        parameters: {
        };
        /** GET the last sixty minutes as counts, oldest first, and what was told last. */
        get: {
            parameters: {
                path: {
                    organization: string;
                    project: string;
                    workspace: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/inventory:related": {
        parameters: {
        };
        /** GET what the object `ref` has to do with, each with how. */
        get: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/agents:heard": {
        parameters: {
        };
        /** GET the last sign of life of each agent; `project` and `workspace` narrow it. */
        get: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/loops": {
        parameters: {
        };
        /** GET a page of them, by kind and place. */
        get: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/projects/{project}/loops": {
        parameters: {
        };
        /** GET a page of them, by kind and place. */
        get: {
            parameters: {
                path: {
                    organization: string;
                    project: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/projects/{project}/workspaces/{workspace}/loops": {
        parameters: {
        };
        /** GET a page of them, by kind and place. */
        get: {
            parameters: {
                path: {
                    organization: string;
                    project: string;
                    workspace: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/inventory:allowed": {
        parameters: {
        };
        /** GET for each of `refs`, separated by commas: whether `action` would be done to it, or why not. */
        get: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/activity:hours": {
        parameters: {
        };
        /** GET the last 24 hours, oldest first: for each kind how much of which sort there was in each. */
        get: {
            parameters: {
                path: {
                    organization: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/projects/{project}/activity:hours": {
        parameters: {
        };
        /** GET the last 24 hours, oldest first: for each kind how much of which sort there was in each. */
        get: {
            parameters: {
                path: {
                    organization: string;
                    project: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations/{organization}/projects/{project}/workspaces/{workspace}/activity:hours": {
        parameters: {
        };
        /** GET the last 24 hours, oldest first: for each kind how much of which sort there was in each. */
        get: {
            parameters: {
                path: {
                    organization: string;
                    project: string;
                    workspace: string;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
    "/v1/organizations": {
        parameters: {
        };
        /** GET the collection, a page at a time, or as a stream with `watch=1`. */
        get: {
            parameters: {
                query?: {
                    /** @description 1 to 500. */
                    page_size?: number;
                    /** @description Of the page before. */
                    page_token?: string;
                    /** @description Only in this state. */
                    state?: string;
                    /** @description Only with these labels: a=b,c=d. */
                    labels?: string;
                    /** @description Only what this expression is true of. */
                    filter?: string;
                    /** @description created, name or changed; with desc after it downwards. */
                    order_by?: string;
                    /** @description Only these parts: spec.url,metadata.name. */
                    fields?: string;
                    /** @description Whether to count all of them. */
                    total?: "true" | "false" | "1" | "0";
                    /** @description 1: a stream of events instead. */
                    watch?: "true" | "false" | "1" | "0";
                    /** @description The revision after which the stream begins. */
                    since?: number;
                    /** @description Seconds before now at which the stream begins; for whoever reads first and listens then. */
                    back?: number;
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
        /** POST to the collection: refuses a name that is taken. */
        post: {
            parameters: {
                query?: {
                    /** @description true: only ask what it would do. */
                    dry_run?: "true" | "false" | "1" | "0";
                };
            };
            responses: {
                /** @description JSON */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                };
            };
        };
    };
}
export type webhooks = Record<string, never>;
export interface components {
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
