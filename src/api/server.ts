import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { createApp } from '#http/app.ts'
import { mountRoutes } from '#http/mount.ts'
import { describeRoutes } from '#http/openapi.ts'
import { StartupError } from '#lib/fault.ts'
import { admit } from './admit.ts'
import type { Deps } from './deps.ts'
import { routes, tags } from './routes.ts'

export const prefix = '/api/v1'

/** The public API as a server that is not listening yet. */
export async function createApi(deps: Deps, options: { checkResponses?: boolean } = {}): Promise<FastifyInstance> {
  const app = createApp(deps.log)
  await describeRoutes(app, {
    title: 'Signalbox',
    description: 'A self-hosted model router with governed agents.',
    version: '1.0.0',
    prefix,
    tags,
  })
  mountRoutes(app, routes, {
    deps,
    prefix,
    admit: (route, request) => admit(deps, route, request.headers.authorization),
    ...options,
  })
  app.get(`${prefix}/openapi.json`, { schema: { hide: true } as never }, async () => app.swagger())
  await app.ready()
  return app
}

/** @returns the URL it answers on. @throws StartupError when the address cannot be had. */
export async function listen(app: FastifyInstance, at: { host: string; port: number }): Promise<string> {
  try {
    await app.listen({ host: at.host, port: at.port, listenTextResolver: () => 'accepting connections' })
  } catch (error) {
    throw new StartupError(whyNot(error as NodeJS.ErrnoException, at))
  }
  const { port } = app.server.address() as AddressInfo
  const host = at.host.includes(':') ? `[${at.host}]` : at.host
  return `http://${host}:${port}${prefix}`
}

function whyNot(error: NodeJS.ErrnoException, { host, port }: { host: string; port: number }): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is taken by another program. Stop it, or set PORT to another port (0 takes any free one).`
    case 'EACCES':
      return `Port ${port} on ${host} may not be used by this user. Set PORT to one above 1023.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `This machine has no address ${host}. Set HOST to one it has, such as 127.0.0.1.`
    default:
      return `Cannot listen on ${host}, port ${port}: ${error.message}.`
  }
}
