import type { Command } from 'commander'
import { StartupError } from '#platform/core/fault.ts'
import { apiClient, clientHelp } from '../../kit/api-client.ts'
import type { Terminal } from '../../kit/terminal.ts'
import { allKeys, type ListedKey } from './list.ts'

const shortest = 6

export function revokeCommand(keys: Command, { env, out }: Terminal): void {
  keys
    .command('revoke')
    .description('delete a key for good: it stops working at once')
    .argument('<hash>', `the key's hash as "keys list" shows it, or at least its first ${shortest} digits`)
    .addHelpText('after', clientHelp)
    .action(async (hash: string) => {
      const client = apiClient(env)
      const key = theOne(await allKeys(client), hash)
      await client.ask('DELETE', `/keys/${key.hash}`)
      out(`Revoked "${key.name}" (${key.label}).`)
    })
}

function theOne(keys: ListedKey[], hash: string): ListedKey {
  if (hash.length < shortest) {
    throw new StartupError(`"${hash}" is too short: give at least ${shortest} digits of the hash.`)
  }
  const meant = keys.filter((key) => key.hash.startsWith(hash.toLowerCase()))
  const [key] = meant
  if (!key) throw new StartupError(`No key's hash begins with "${hash}": "npx signalbox keys list" shows them all.`)
  if (meant.length > 1) throw new StartupError(`${meant.length} keys' hashes begin with "${hash}": give more digits.`)
  return key
}
