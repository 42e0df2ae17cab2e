import assert from 'node:assert/strict'
import type { WatchedPage } from './chromium.ts'
import { scriptPayloads } from './script-payloads.ts'

/** Every tenth payload, for detailed checks. All payloads are displayed. */
export const somePayloads = scriptPayloads.flatMap((payload, index) => (index % 10 === 0 ? [{ payload, index }] : []))

/** Each payload in one line, for fields that accept only one. */
export const payloadLines = scriptPayloads.map((payload) => payload.replace(/[\r\n\u2028]/g, ' '))

type WriteResult = { status: number; text?: string }

/**
 * Stores each payload; a few can be refused for their form, as long as most are accepted.
 * @returns the stored payloads.
 */
export async function createObjects(
  write: (payload: string, index: number) => Promise<WriteResult>,
): Promise<string[]> {
  const stored: string[] = []
  for (const [index, payload] of scriptPayloads.entries()) {
    const { status, text } = await write(payload, index)
    assert.ok(status < 300 || status === 400, `${index} ${status} ${text}`)
    if (status < 300) stored.push(payload)
  }
  assert.ok(stored.length > 0.9 * scriptPayloads.length, `${stored.length} were stored`)
  return stored
}

const markup =
  'script, iframe, object, embed, style, base, meta, link, img, svg script, [onerror], [onload], a[href^="javascript" i]'

/**
 * Checks that no text on the whole page, including frame and dialogs, was interpreted as markup, and that none ran,
 * loaded or sent anything.
 */
export async function requireNoScriptEffects({ page, faults }: WatchedPage): Promise<void> {
  assert.equal(await page.evaluate(() => 'planted' in globalThis), false)
  assert.equal(await page.locator('#console').locator(markup).count(), 0)
  assert.deepEqual(faults, [])
}
