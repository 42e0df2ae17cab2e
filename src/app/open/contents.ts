import type { ContentStorage } from '#gateway/record/content-recorder.ts'
import type { Vault } from '#identity/provider-keys/vault.ts'
import { ContentWriter } from '#spend/contents/content-writer.ts'
import { createWarning, type OpenContext } from './parts.ts'
import type { OpenStore } from './store.ts'

/** Opens the writer that stores request and response contents for workspaces that enable it. */
export function openContents(context: OpenContext, { db }: OpenStore, vault: Vault): ContentStorage {
  const { parts, metrics, cleanup } = context
  const { config } = parts
  const onError = createWarning(context, 'contents are not written yet')
  const countContents = metrics.observeContents(() => writer.waitingBytes)
  const writer = new ContentWriter({ db, vault, count: countContents, onError })
  cleanup.defer(() => writer.close())
  return { writer, maxBytes: config.content_bytes }
}
