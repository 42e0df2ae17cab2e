/** The types in this file are the parts of an OpenAPI document that the page displays. */
export type Schema = {
  $ref?: string
  type?: string | string[]
  description?: string
  enum?: unknown[]
  const?: unknown
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}

export type Media = Record<string, { schema: Schema; example?: unknown }>

export type Operation = {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  security: Record<string, unknown>[]
  parameters: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[]
  requestBody?: { required: boolean; content: Media }
  responses: Record<string, { $ref?: string; description?: string; content?: Media }>
}

export type Document = {
  info: { title: string; description: string }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; responses: Record<string, { description: string }> }
}
