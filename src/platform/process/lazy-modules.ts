import { createRequire } from 'node:module'
import { once } from '../async/once.ts'

const require = createRequire(import.meta.url)

/** Packages that few starts need, and that would slow down every start. Each is loaded at its first use. */
export const lazyModules = {
  phoneMetadata: once(() => require('libphonenumber-js/min/metadata') as import('libphonenumber-js/min').MetadataJson),
  undici: once(() => require('undici') as typeof import('undici')),
  promClient: once(() => require('prom-client') as typeof import('prom-client')),
  yaml: once(() => require('yaml') as typeof import('yaml')),
  openIdClient: once(() => require('openid-client') as typeof import('openid-client')),
  jose: once(() => require('jose') as typeof import('jose')),
  simpleWebAuthn: once(() => require('@simplewebauthn/server') as typeof import('@simplewebauthn/server')),
  nodemailer: once(() => require('nodemailer') as typeof import('nodemailer')),
  pinoPretty: once(() => require('pino-pretty') as typeof import('pino-pretty')),
}
