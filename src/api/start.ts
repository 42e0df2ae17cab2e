import type { FastifyInstance } from 'fastify'
import { bootstrap, type FirstKeys } from '#accounts/bootstrap.ts'
import { createKeyRing } from '#accounts/key-ring.ts'
import { keyReader } from '#accounts/read-keys.ts'
import { openCatalogue } from '#catalogue/holder.ts'
import type { Config } from '#config/settings.ts'
import { takeDataDir } from '#db/data-dir.ts'
import { openDb } from '#db/open.ts'
import type { Now } from '#lib/clock.ts'
import type { NewId } from '#lib/id.ts'
import type { Log } from '#lib/log.ts'
import { createMeasures } from '#measure/measures.ts'
import { createApi, listen } from './server.ts'

export type Service = {
  /** The base URL, version segment included. */
  url: string
  /** The first keys' secrets, on the very first start only. */
  firstKeys: FirstKeys | undefined
  /** Finishes open requests, within the grace time, and lets go of everything. */
  stop: () => Promise<void>
}

type Parts = { config: Config; log: Log; now: Now; newId: NewId; checkResponses?: boolean }

/**
 * Opens the store, brings it up to date and answers requests.
 * @throws StartupError with one sentence; whatever was opened is closed again.
 */
export async function startService({ config, log, now, newId, checkResponses }: Parts): Promise<Service> {
  const opened: (() => unknown)[] = []
  const closeAll = async () => {
    for (const close of opened.splice(0).reverse()) await close()
  }
  try {
    const dataDir = takeDataDir(config.data_dir, { exclusive: !config.database_url })
    opened.push(dataDir.release)
    const db = await openDb({ ...config, data_dir: dataDir.path }, (error) =>
      log.warn({ err: error }, 'database connection'),
    )
    opened.push(db.close)
    const firstKeys = await bootstrap({ db, now, newId }, chosenKeys(config))
    const keys = createKeyRing({ signals: db.signals, now, readKeys: keyReader({ db }) })
    opened.push(keys.close)
    const catalogue = await openCatalogue({
      settings: { ...config, data_dir: dataDir.path },
      signals: db.signals,
      newId,
      onError: (error) => log.warn({ err: error }, 'catalogue'),
    })
    opened.push(catalogue.close)
    const measures = await createMeasures({
      db,
      now,
      newId,
      onError: (error) => log.warn({ err: error }, 'measurements could not be exchanged with the database'),
    })
    opened.push(measures.close, measures.onRefresh(catalogue.measured))
    catalogue.measured(measures.figures())
    const app = await createApi({ catalogue, config, db, keys, measures, now, newId, log }, { checkResponses })
    opened.push(() => closeGracefully(app, config.shutdown_grace_ms))
    return { url: await listen(app, config), firstKeys, stop: closeAll }
  } catch (error) {
    await closeAll()
    throw error
  }
}

function chosenKeys(config: Config): Partial<FirstKeys> {
  return { managementKey: config.bootstrap_management_key, apiKey: config.bootstrap_api_key }
}

/** Open requests may finish, but not hold up the end for longer than the grace time. */
async function closeGracefully(app: FastifyInstance, graceMs: number): Promise<void> {
  const impatience = setTimeout(() => app.server.closeAllConnections(), graceMs)
  await app.close()
  clearTimeout(impatience)
}
