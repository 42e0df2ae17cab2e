import { HttpResponse } from '../route.ts'

/** Headers of pages that run no script. They load nothing, and no other page can embed them. */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

/** A page with a short text. @param head trusted markup; `text` is untrusted. @param home the console. */
export function htmlPage(
  status: number,
  { title, text, head = '', home = '/' }: { title: string; text: string; head?: string; home?: string },
  extraHeaders: Record<string, string | string[]> = {},
): HttpResponse {
  const body = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>${head}</head><body><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p><p><a href="${escapeHtml(home)}">Continue to Signalbox</a></p></body></html>`
  return new HttpResponse(status, { ...headers, ...extraHeaders }, body)
}

/** Escapes text for HTML content and attributes. */
export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
