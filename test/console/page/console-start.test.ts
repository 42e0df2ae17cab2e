import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startProcess } from '../../harness/service/server-process.ts'

function newFolder() {
  const path = mkdtempSync(join(tmpdir(), 'signalbox-console-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** Returns the page, and whether all files that it names exist. */
async function wholePage(url: string): Promise<boolean> {
  const page = await fetch(new URL('/requests', url))
  const files = [...(await page.text()).matchAll(/(?:href|src)="(\/console\/[^"]+)"/g)].map(([, path]) => path!)
  const responses = await Promise.all(files.map((path) => fetch(new URL(path, url))))
  return page.status === 200 && files.length > 2 && responses.every(({ status }) => status === 200)
}

test('a start prints the address of the console if it has one', async () => {
  using folder = newFolder()
  const DATA_DIR = join(folder.path, 'data')
  {
    await using server = startProcess({ DATA_DIR, CONSOLE: 'true' })
    const url = await server.url
    assert.match(server.out(), new RegExp(`^ {2}Console {5}${new URL(url).origin}$`, 'm'))
    assert.match(server.out(), /#sign-in=/)
    assert.equal(await wholePage(url), true)
  }
  await using without = startProcess({ DATA_DIR: join(folder.path, 'other'), CONSOLE: 'false' })
  assert.equal((await fetch(new URL('/requests', await without.url))).status, 404)
  assert.doesNotMatch(without.out(), /Console|#sign-in=/)
})

test('with workers one process bundles, and all of them serve', async () => {
  using folder = newFolder()
  const DATA_DIR = join(folder.path, 'data')
  await using server = startProcess({ DATA_DIR, CONSOLE: 'true', WORKERS: '3', LOG_FORMAT: 'json' })
  const url = await server.url
  const pages = await Promise.all(Array.from({ length: 12 }, () => wholePage(url)))
  assert.deepEqual(new Set(pages), new Set([true]))
  assert.equal(server.err().match(/console bundled/g)?.length, 1)
  assert.equal(readdirSync(join(DATA_DIR, 'console.remembered')).length, 1)
})
