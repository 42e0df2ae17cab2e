import table from './operations.json' with { type: 'json' }

/** A parameter or a body field of an operation. */
export type Field = {
  in: 'path' | 'query' | 'body'
  type: 'string' | 'number' | 'integer' | 'boolean' | 'list' | 'numbers' | 'json'
  help?: string
  isRequired?: boolean
  isNullable?: boolean
  /** Whether a slash is a part of the value, and not escaped in the path. */
  hasSlash?: boolean
  choices?: string[]
  default?: string | number | boolean
}

/** An operation of the API, as `operations.json` describes it. */
export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  tag: string
  summary: string
  /** Whether only management keys can call it. */
  needsManagementKey: boolean
  /** Whether it answers 201. */
  creates: boolean
  fields: Record<string, Field>
  response: 'list' | 'object' | 'text' | 'file' | 'stream' | 'nothing'
  /** The fields of a list's items that have a single value. */
  columns?: string[]
}

export type OperationId = keyof typeof table

/** The operations of the API, made from openapi.json by "npm run openapi". */
export const operations = table as unknown as Record<OperationId, Operation>

/** The kind of key: users of interns have an API key, other commands are for managers. */
export const keyKind = ({ tag, needsManagementKey }: Operation) =>
  tag === 'interns' && !needsManagementKey ? 'api' : 'management'
