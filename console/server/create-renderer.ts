import { pageSettings } from '../api/address/page-settings.ts'
import type { PageRenderer } from './render-page.tsx'

/** Loads the console for the service. Many modules read `root`, the path prefix of the service, when they are loaded. */
export async function createRenderer(root: string): Promise<PageRenderer> {
  pageSettings.root = root
  const { loadRequestLog, pageRenderer } = await import('./render-page.tsx')
  await loadRequestLog()
  return pageRenderer
}
