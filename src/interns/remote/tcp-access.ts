import type { Vault } from '#identity/provider-keys/vault.ts'
import type { Intern } from '../registry/intern-store.ts'

/** The address of an intern's daemon, and its token. `host` defaults to the address of the intern's host. */
export type TcpAccess = { host?: string; port: number; token: string }

/** Encrypts an address for its column. */
export function encryptAccess(vault: Vault, internId: string, access: TcpAccess): string {
  return vault.seal(JSON.stringify(access), encryptionContext(internId))
}

/** Decrypts the address of an intern, if it has one. @throws Error if a server with another encryption key encrypted it. */
export function decryptAccess(
  vault: Vault,
  { id, tcpAccess }: Pick<Intern, 'id' | 'tcpAccess'>,
): TcpAccess | undefined {
  return tcpAccess === null ? undefined : (JSON.parse(vault.open(tcpAccess, encryptionContext(id))) as TcpAccess)
}

const encryptionContext = (internId: string) => `intern access ${internId}`
