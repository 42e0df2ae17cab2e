/** Error types by status, as in OpenRouter. They are the same for all protocols and providers. */
const typeByStatus: Record<number, string> = {
  401: 'authentication',
  402: 'payment_required',
  403: 'permission_denied',
  404: 'not_found',
  408: 'timeout',
  410: 'not_found',
  413: 'payload_too_large',
  429: 'rate_limit_exceeded',
  502: 'provider_unavailable',
  503: 'provider_unavailable',
  504: 'timeout',
}

/** Error codes of providers that are more specific than the status. */
const specificCodes: ReadonlySet<unknown> = new Set(['context_length_exceeded', 'string_too_long', 'invalid_prompt'])

export function errorTypeFor(status: number, providerCode: unknown): string {
  if (specificCodes.has(providerCode)) return String(providerCode)
  return typeByStatus[status] ?? (status >= 500 ? 'server' : 'invalid_request')
}
