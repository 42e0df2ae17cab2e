import { after, before } from 'node:test'
import { type DemoWorld, startDemoWorld } from '../service/demo-world.ts'
import { startBrowser, withoutBrowser } from './chromium.ts'

type Both = { world: DemoWorld; browser: Awaited<ReturnType<typeof startBrowser>> }

/** A demo world and a browser for all tests of a file. */
export function demoInBrowser(options: Parameters<typeof startDemoWorld>[0] = {}): Both {
  const both = {} as Both
  before(async () => {
    if (withoutBrowser) return
    ;[both.world, both.browser] = await Promise.all([startDemoWorld(options), startBrowser()])
  })
  after(async () => {
    await both.browser?.close()
    await both.world?.[Symbol.asyncDispose]()
  })
  return both
}
