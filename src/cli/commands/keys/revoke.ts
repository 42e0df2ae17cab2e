import type { Command } from 'commander'
import { StartupError } from '#platform/core/fault.ts'
import { apiClient, clientHelp } from '../../kit/api-client.ts'
import type { Terminal } from '../../kit/terminal.ts'
import { allKeys, type ListedKey } from './list.ts'

const minDigits = 6

export function revokeCommand(keys: Command, { env, out }: Terminal): void {
  keys
    .command('revoke')
    .description('Delete a key. It stops working immediately')
    .argument('<hash>', `Hash of the key, as listed by "keys list", or its first ${minDigits} or more digits`)
    .addHelpText('after', clientHelp)
    .action(async (hash: string) => {
      const client = apiClient(env)
      const key = findByHash(await allKeys(client), hash)
      await client.request('DELETE', `/keys/${key.hash}`)
      out(`Revoked "${key.name}" (${key.label}).`)
    })
}

export function findByHash(keys: ListedKey[], hash: string): ListedKey {
  if (hash.length < minDigits) {
    throw new StartupError(`"${hash}" is too short: enter at least ${minDigits} digits of the hash.`)
  }
  const matches = keys.filter((key) => key.hash.startsWith(hash.toLowerCase()))
  const [key] = matches
  if (!key) throw new StartupError(`No key has a hash that starts with "${hash}". To list all: npx signalbox keys list`)
  if (matches.length > 1)
    throw new StartupError(`${matches.length} keys have a hash that starts with "${hash}": enter more digits.`)
  return key
}
