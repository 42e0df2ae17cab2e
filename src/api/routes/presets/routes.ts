import type { Route } from '../route.ts'
import { designatePresetVersion } from './designate-version.ts'
import { getPresetRoute } from './get.ts'
import { getPresetVersion } from './get-version.ts'
import { listPresetsRoute } from './list.ts'
import { listPresetVersions } from './list-versions.ts'
import { previewPresetVersion } from './preview-version.ts'
import { savePresetFromChat } from './save-from-chat.ts'
import { savePresetFromMessages } from './save-from-messages.ts'
import { savePresetFromResponses } from './save-from-responses.ts'
import { savePresetVersion } from './save-version.ts'
import { updatePreset } from './update.ts'

export const presetRoutes = {
  listPresets: listPresetsRoute,
  getPreset: getPresetRoute,
  listPresetVersions,
  getPresetVersion,
  savePresetFromResponses,
  savePresetFromChat,
  savePresetFromMessages,
  savePresetVersion,
  previewPresetVersion,
  updatePreset,
  designatePresetVersion,
} satisfies Record<string, Route>
