/** The headers of responses that the API description names. HTTP itself defines others. */
const describedHeaders = {
  'x-request-id': {
    component: 'RequestId',
    description: 'The ID of the request in the log. An ID sent in `x-request-id` is used.',
    schema: { type: 'string' },
  },
  etag: {
    component: 'EntityTag',
    description:
      'The version of the returned object or list. An operation with the header `If-Match` refuses a change if the object was changed since. An operation with the header `If-None-Match` returns 304 if the response would be the same.',
    schema: { type: 'string' },
  },
  'retry-after': {
    component: 'RetryAfter',
    description: 'The number of seconds to wait before a retry.',
    schema: { type: 'integer' },
  },
  'x-should-retry': {
    component: 'ShouldRetry',
    description: 'Whether a retry can succeed. Missing if the status shows it.',
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  'x-generation-id': {
    component: 'GenerationId',
    description: 'The ID of the record of the request, for `GET /generation`. Missing if no record was made.',
    schema: { type: 'string' },
  },
  'x-fields-left-out': {
    component: 'DroppedFields',
    description: 'The fields of the request that its provider does not accept, and that were not sent to it.',
    schema: { type: 'string' },
  },
  'x-tokens-estimated': {
    component: 'TokensEstimated',
    description: '`true` if the number is an estimate.',
    schema: { type: 'string', enum: ['true'] },
  },
  'request-id': {
    component: 'MessagesRequestId',
    description: 'The value of `x-request-id`, under the name that clients of this protocol read.',
    schema: { type: 'string' },
  },
  'set-cookie': {
    component: 'SetCookie',
    description: 'Sets or removes cookies of the browser session.',
    schema: { type: 'string' },
  },
  location: { component: 'Location', description: 'The address to continue at.', schema: { type: 'string' } },
  'content-disposition': {
    component: 'ContentDisposition',
    description: 'The name of the file.',
    schema: { type: 'string' },
  },
  'content-range': {
    component: 'ContentRange',
    description: 'The returned part, if the request has a `Range`.',
    schema: { type: 'string' },
  },
  'accept-ranges': { component: 'AcceptRanges', description: '`bytes`.', schema: { type: 'string' } },
  'last-modified': {
    component: 'LastModified',
    description: 'The time of the last change of the file.',
    schema: { type: 'string' },
  },
} as const

/** A header of responses that the API description names. */
export type DescribedHeader = keyof typeof describedHeaders

/** The part of the description that the responses refer to. */
export const headerComponents = Object.fromEntries(
  Object.values(describedHeaders).map(({ component, ...header }) => [component, header]),
)

/** References to the headers of one response. */
export const referToHeaders = (names: readonly DescribedHeader[]): Record<string, { $ref: string }> =>
  Object.fromEntries(
    ['x-request-id' as const, ...names].map((name) => [
      name,
      { $ref: `#/components/headers/${describedHeaders[name].component}` },
    ]),
  )
