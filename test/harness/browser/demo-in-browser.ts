import { after, before } from 'node:test'
import { type DemoWorld, startDemoWorld } from '../service/demo-world.ts'
import { startBrowser, withoutBrowser } from './chromium.ts'

type BrowserWithWorld = { world: DemoWorld; browser: Awaited<ReturnType<typeof startBrowser>> }

/** Starts a demo world and a browser before all tests of a file, and closes them after. */
export function demoInBrowser(options: Parameters<typeof startDemoWorld>[0] = {}): BrowserWithWorld {
  const started = {} as BrowserWithWorld
  before(async () => {
    if (withoutBrowser) return
    ;[started.world, started.browser] = await Promise.all([startDemoWorld(options), startBrowser()])
  })
  after(async () => {
    await started.browser?.close()
    await started.world?.[Symbol.asyncDispose]()
  })
  return started
}
