import { after, before } from 'node:test'
import { type DemoWorld, startDemoWorld } from '../service/world/demo-world.ts'
import { noBrowser, startBrowser } from './chromium.ts'

type BrowserWithWorld = { world: DemoWorld; browser: Awaited<ReturnType<typeof startBrowser>> }

/** Starts a demo world and a browser before all tests of a file, and closes them after. */
export function demoInBrowser(options: Parameters<typeof startDemoWorld>[0] = {}): BrowserWithWorld {
  const started = {} as BrowserWithWorld
  before(async () => {
    if (noBrowser) return
    const [world, browser] = await Promise.all([startDemoWorld(options), startBrowser()])
    Object.assign(started, { world, browser })
  })
  after(async () => {
    await started.browser?.close()
    await started.world?.[Symbol.asyncDispose]()
  })
  return started
}
