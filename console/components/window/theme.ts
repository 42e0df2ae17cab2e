import { signal } from '@preact/signals'
import { pageSettings } from '../../api/address/page-settings.ts'

export type Theme = 'system' | 'light' | 'dark'
export const themes: Theme[] = ['system', 'light', 'dark']
/** A year. */
const cookieSeconds = 31_536_000

/** The theme in the page. If only a script knew it, the page would flash. */
const themeOfPage = (): Theme => themes.find((theme) => theme === pageSettings.theme) ?? 'system'

export const theme = signal<Theme>(themeOfPage())

/** Reads the theme of the page again. */
export const readTheme = (): void => {
  theme.value = themeOfPage()
}

export function setTheme(next: Theme): void {
  theme.value = next
  const seconds = next === 'system' ? 0 : cookieSeconds
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs TLS
  document.cookie = `theme=${next}; Path=/; SameSite=Strict; Max-Age=${seconds}`
  if (next === 'system') delete pageSettings.theme
  else pageSettings.theme = next
}

export const nextTheme = () => setTheme(themes[(themes.indexOf(theme.value) + 1) % themes.length]!)
