import { createRequire } from 'node:module'
import { once } from '../async/once.ts'

const require = createRequire(import.meta.url)

/** Packages that few starts need, and that would make every start slower: each is loaded when it is first asked for. */
export const lazyModules = {
  phoneMetadata: once(() => require('libphonenumber-js/min/metadata') as import('libphonenumber-js/min').MetadataJson),
  undici: once(() => require('undici') as typeof import('undici')),
  promClient: once(() => require('prom-client') as typeof import('prom-client')),
  yaml: once(() => require('yaml') as typeof import('yaml')),
  openIdClient: once(() => require('openid-client') as typeof import('openid-client')),
  pinoPretty: once(() => require('pino-pretty') as typeof import('pino-pretty')),
}
