import type { FaultKind } from '../../core/fault.ts'

/** The table of HTTP statuses for faults. */
export const faultStatus = {
  invalid: 400,
  unauthenticated: 401,
  payment_required: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  upgrade_required: 426,
  rate_limited: 429,
  client_closed_request: 499,
  bad_gateway: 502,
  unavailable: 503,
  gateway_timeout: 504,
} as const satisfies Record<FaultKind, number>

/** The description of each status in the documentation of a route. */
export const faultMeaning: Record<FaultKind, string> = {
  invalid: 'Invalid request parameters or body',
  unauthenticated: 'Missing or invalid key',
  payment_required: 'Spending limit reached',
  forbidden: 'The key does not have the permission',
  not_found: 'Resource not found',
  method_not_allowed: 'The path does not support this method',
  request_timeout: 'The request did not arrive in time, or its provider did not respond in time',
  conflict: 'Resource conflict',
  gone: 'No longer available',
  precondition_failed:
    'The object has changed since the version named in `If-Match`, or exists despite `If-None-Match`',
  payload_too_large: 'The body is too large',
  unsupported_media_type: 'The body is not declared as JSON',
  range_not_satisfiable: 'The requested byte range is not satisfiable',
  upgrade_required: 'The path supports only HTTP/1.1 without an upgrade to WebSocket',
  rate_limited: 'Too many requests',
  client_closed_request: 'The client disconnected before the response',
  bad_gateway: 'The upstream failed',
  unavailable: 'Currently unavailable',
  gateway_timeout: 'The intern did not respond in time',
}
