import assert from 'node:assert/strict'
import type { WatchedPage } from './chromium.ts'
import { scriptPayloads } from './script-payloads.ts'

/** Only every tenth gets a detailed check: each of them is on the screen anyway. */
export const somePayloads = scriptPayloads.flatMap((payload, index) => (index % 10 === 0 ? [{ payload, index }] : []))

/** Each payload in one line, for fields that accept only one. */
export const payloadLines = scriptPayloads.map((payload) => payload.replace(/[\r\n\u2028]/g, ' '))

type Written = { status: number; text?: string }

/**
 * Stores each payload; a few can be refused for their form, as long as most are accepted.
 * @returns the stored payloads.
 */
export async function createObjects(write: (payload: string, index: number) => Promise<Written>): Promise<string[]> {
  const taken: string[] = []
  for (const [index, payload] of scriptPayloads.entries()) {
    const { status, text } = await write(payload, index)
    assert.ok(status < 300 || status === 400, `${index} ${status} ${text}`)
    if (status < 300) taken.push(payload)
  }
  assert.ok(taken.length > 0.9 * scriptPayloads.length, `${taken.length} were taken`)
  return taken
}

const markup =
  'script, iframe, object, embed, style, base, meta, link, img, svg script, [onerror], [onload], a[href^="javascript" i]'

/**
 * Checks that no text on the whole page, including frame and dialogs, was interpreted as markup, and that none ran,
 * loaded or sent anything.
 */
export async function actsOnNothing({ page, faults }: WatchedPage): Promise<void> {
  assert.equal(await page.evaluate(() => 'planted' in globalThis), false)
  assert.equal(await page.locator('#console').locator(markup).count(), 0)
  assert.deepEqual(faults, [])
}
