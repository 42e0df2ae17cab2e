import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UserFacingError } from '#platform/core/fault.ts'
import type { Db } from '#platform/db/db.ts'
import { readErrorText, writeErrorText } from '#platform/process/system-error.ts'
import { createVault, type Vault } from './vault.ts'

/** The kinds of encrypted data in the database, for messages. */
const encryptedData =
  'provider keys, repository credentials, credentials of tool servers, secrets of webhooks or stored contents'

const keyPattern = /^[0-9a-f]{64}\s*$/

type Settings = { data_dir: string; encryption_key_file?: string | undefined }

/**
 * Opens the vault of this installation. Its key is created at the first start unless the operator provides it. A lost key
 * is not replaced while the database contains data that it encrypted.
 * @throws UserFacingError that says which file is missing or wrong.
 */
export async function openVault({ db, settings }: { db: Db; settings: Settings }): Promise<Vault> {
  const file = settings.encryption_key_file ?? join(settings.data_dir, 'encryption.key')
  const usedKeyNames = await readUsedKeyNames(db)
  const canCreate = settings.encryption_key_file === undefined && usedKeyNames.length === 0
  const key = readKey(file) ?? (canCreate ? createKeyFile(file) : undefined)
  if (!key) {
    const consequence =
      usedKeyNames.length > 0 ? `, and the ${encryptedData} in the database cannot be read without it` : ''
    throw new UserFacingError(
      `The encryption key ${file} is missing${consequence}. Restore it, or set ENCRYPTION_KEY_FILE to where it is.`,
    )
  }
  const vault = createVault(key)
  const other = usedKeyNames.find((name) => name !== vault.keyName)
  if (other === undefined) return vault
  throw new UserFacingError(
    `The encryption key ${file} is not the one that the ${encryptedData} in the database were encrypted with. Restore that one, or set ENCRYPTION_KEY_FILE to where it is.`,
  )
}

async function readUsedKeyNames(db: Db): Promise<string[]> {
  const rows = await db.query
    .selectFrom('provider_credentials')
    .select('sealed_by')
    .union((e) =>
      e
        .selectFrom('interns')
        .where('repository_sealed_by', 'is not', null)
        .select((row) => row.ref('repository_sealed_by').$castTo<string>().as('sealed_by')),
    )
    .union((e) =>
      e
        .selectFrom('interns')
        .where('mcp_servers_sealed_by', 'is not', null)
        .select((row) => row.ref('mcp_servers_sealed_by').$castTo<string>().as('sealed_by')),
    )
    .union((e) => e.selectFrom('webhooks').select('sealed_by'))
    .execute()
  // There can be millions of rows, so only the first and the last key name are read from the index.
  const contents = await db.query
    .selectFrom('generation_contents')
    .select((e) => [e.fn.min('sealed_by').as('first'), e.fn.max('sealed_by').as('last')])
    .executeTakeFirst()
  const contentKeys = [contents?.first, contents?.last].filter((name) => name != null)
  return [...rows.map((row) => row.sealed_by), ...contentKeys]
}

function readKey(file: string): Buffer | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new UserFacingError(`The encryption key ${file} cannot be read: ${readErrorText(error)}.`)
  }
  if (!keyPattern.test(text))
    throw new UserFacingError(`The encryption key ${file} must contain 64 hexadecimal digits.`)
  return Buffer.from(text.trim(), 'hex')
}

/**
 * Creates the key unless it exists, so that two servers that start at once on one folder use the same key. The file appears
 * with its whole content, even if another server reads it meanwhile or this one is killed. It is on the disk before anything
 * is encrypted with it.
 */
function createKeyFile(file: string): Buffer | undefined {
  const draft = `${file}.${randomUUID()}.draft`
  try {
    writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: true })
    linkUnlessExists(draft, file)
  } catch (error) {
    throw new UserFacingError(`The encryption key ${file} cannot be written: ${writeErrorText(error)}.`)
  } finally {
    rmSync(draft, { force: true })
  }
  return readKey(file)
}

/** The errors of file systems without hard links. */
const noLinkCodes = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']

function linkUnlessExists(draft: string, file: string): void {
  try {
    linkSync(draft, file)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (!noLinkCodes.includes(code)) throw error
    if (!existsSync(file)) renameSync(draft, file)
  }
}
