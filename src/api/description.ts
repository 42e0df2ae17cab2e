import pino from 'pino'
import type { Deps } from './deps.ts'
import { createApi } from './server.ts'

/** The OpenAPI description as text. It follows from the routes alone, so nothing is opened to make it. */
export async function apiDescription(): Promise<string> {
  const app = await createApi({ log: pino({ level: 'silent' }) } as unknown as Deps)
  const text = JSON.stringify(app.swagger(), null, 2)
  await app.close()
  return text
}
