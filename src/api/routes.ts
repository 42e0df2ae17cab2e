import type { Route } from './route.ts'
import { listAudit } from './routes/audit/list.ts'
import { reload } from './routes/catalogue/reload.ts'
import { getHealth } from './routes/health/get.ts'
import { designatePresetVersion } from './routes/presets/designate-version.ts'
import { getOnePreset } from './routes/presets/get.ts'
import { getPresetVersion } from './routes/presets/get-version.ts'
import { listAllPresets } from './routes/presets/list.ts'
import { listPresetVersions } from './routes/presets/list-versions.ts'
import { savePresetFromChat } from './routes/presets/save-from-chat.ts'
import { savePresetFromMessages } from './routes/presets/save-from-messages.ts'
import { savePresetFromResponses } from './routes/presets/save-from-responses.ts'
import { updatePreset } from './routes/presets/update.ts'

/** The table of contents of the public API. */
export const routes: Route[] = [
  getHealth,
  reload,
  listAllPresets,
  getOnePreset,
  listPresetVersions,
  getPresetVersion,
  savePresetFromResponses,
  savePresetFromChat,
  savePresetFromMessages,
  updatePreset,
  designatePresetVersion,
  listAudit,
]

export const tags = [
  { name: 'service', description: 'The service itself.' },
  { name: 'catalogue', description: 'Where models, providers and prices come from.' },
  { name: 'presets', description: 'Named, versioned configurations of requests.' },
  { name: 'audit', description: 'What was changed, when and by whom.' },
]
