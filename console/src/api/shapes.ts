// What the API answers with, as far as pages read it. The contract names routes and parameters (schema.d.ts);
// of answers it says only that they are JSON, so their shapes are written down here, once.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type State = "PENDING" | "READY" | "DEGRADED" | "HELD" | "FAILED";
export type Mode = "run" | "no-deletes" | "observe" | "stop";

export interface Page<T> {
  items: T[];
  next_page_token: string;
  total?: { count: number; exact: boolean };
}

export interface Metadata {
  name: string;
  organization?: string;
  project?: string;
  workspace?: string;
  ref: string;
  labels: Record<string, string>;
  generation: number;
  protected: boolean;
  deleting: string;
  owner: string;
  created_at: string;
  changed_at: string;
  changed_by: string;
}

export interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
  since: string | null;
}

export interface Status {
  state: State;
  reason: string;
  since: string | null;
  observed_generation: number;
  /** When it was observed last, and will be next; null for what no loop looks at. */
  observed_at: string | null;
  next_observation_at?: string | null;
  /** What is wrong where the last observation is long ago. */
  stale?: string;
  /** How often observing it failed in a row. */
  failures?: number;
  conditions: Condition[];
  facts: Record<string, Json>;
  plan: string;
}

/** One declared object: what the glossary calls an entity. */
export interface Entity {
  kind: string;
  metadata: Metadata;
  spec: Record<string, Json>;
  status: Status;
}

export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string | string[];
  title?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  enum?: Json[];
  anyOf?: Schema[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  default?: Json;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  const?: Json;
}

export interface Kind {
  name: string;
  plural: string;
  about: string;
  level: "installation" | "organization" | "project" | "workspace";
  columns: Record<string, string>;
  every: number | null;
  schema: Schema;
  example: Record<string, Json>;
  adopts: string;
  by_machine: boolean;
}

export interface Switch {
  key: string;
  mode: Mode;
  by: string;
  reason: string;
  since: string;
  version: number;
}

export interface Told {
  type: string;
  revision: number;
  at: string;
  ref: string;
  message: string;
  object: Entity | null;
}

export interface Mistake {
  pointer: string;
  code: string;
  message: string;
  hint?: string;
}

export interface Problem {
  type: string;
  title: string;
  status: number;
  code: string;
  detail: string;
  hint?: string;
  instance: string;
  trace_id: string;
  retryable: boolean;
  errors?: Mistake[];
}
