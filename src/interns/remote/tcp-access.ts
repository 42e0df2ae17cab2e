import type { Vault } from '#identity/provider-keys/vault.ts'
import type { Intern } from '../registry/store.ts'

/** How an intern's daemon is reached: at `host`, or else at the address of its host. */
export type TcpAccess = { host?: string; port: number; token: string }

/** The column that keeps it, which only servers with the service's own key can read. */
export function sealAccess(vault: Vault, internId: string, access: TcpAccess): string {
  return vault.seal(JSON.stringify(access), sealedAs(internId))
}

/** Undefined where there is none. @throws Error when a server with another encryption key sealed it. */
export function accessOf(vault: Vault, { id, tcpAccess }: Pick<Intern, 'id' | 'tcpAccess'>): TcpAccess | undefined {
  return tcpAccess === null ? undefined : (JSON.parse(vault.open(tcpAccess, sealedAs(id))) as TcpAccess)
}

const sealedAs = (internId: string) => `intern access ${internId}`
