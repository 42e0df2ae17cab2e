import type { Server } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { UserFacingError } from '#platform/core/fault.ts'
import { withBrackets } from '#platform/net/addresses/host-name.ts'

export type Address = { host: string; port: number }

/** The origin of a listening server. The system may have chosen the port, so it is read from the server. */
export function serverOrigin(server: Server, { host }: Address): string {
  const { port } = server.address() as AddressInfo
  return `http://${withBrackets(host)}:${port}`
}

/** Returns the URL at which processes on this host reach the service. A wildcard address becomes a loopback address. */
export function reachableUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

/**
 * Checks that all addresses are free: binds them at the same time, then releases them. The keys are setting names.
 * @throws UserFacingError if an address cannot be bound, for example because two settings name the same one.
 */
export async function requireFreePorts(addresses: Record<string, Address>): Promise<void> {
  requireDistinctPorts(addresses)
  await using probes = new AsyncDisposableStack()
  for (const [setting, address] of Object.entries(addresses)) {
    const probe = createServer()
    const listening = Promise.withResolvers<void>()
    probe.once('error', (error) => listening.reject(listenError(error, address, setting)))
    probe.listen(address.port, address.host, listening.resolve)
    await listening.promise
    probes.defer(() => new Promise<void>((resolve) => probe.close(() => resolve())))
  }
}

function requireDistinctPorts(addresses: Record<string, Address>): void {
  const settingByAddress = new Map<string, string>()
  for (const [setting, { host, port }] of Object.entries(addresses)) {
    const other = port === 0 ? undefined : settingByAddress.get(`${host}:${port}`)
    if (other !== undefined)
      throw new UserFacingError(`${other} and ${setting} are both ${port}. Set ${setting} to another port.`)
    settingByAddress.set(`${host}:${port}`, setting)
  }
}

/** Builds the error that says why an address cannot be bound, and which setting to change. */
export function listenError(error: NodeJS.ErrnoException, { host, port }: Address, setting: string): UserFacingError {
  switch (error.code) {
    case 'EADDRINUSE':
      return new UserFacingError(
        `Port ${port} on ${host} is taken by another program. Stop it, or set ${setting} to another port (0 takes any free one).`,
      )
    case 'EACCES':
      return new UserFacingError(
        `Port ${port} on ${host} requires root permission. Set ${setting} to a port above 1023.`,
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new UserFacingError(
        `This machine does not have the address ${host}. Set HOST to one of its addresses, such as 127.0.0.1.`,
      )
    default:
      return new UserFacingError(`Cannot listen on ${host}, port ${port}: ${error.message}.`)
  }
}
