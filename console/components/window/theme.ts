import { signal } from '@preact/signals'
import { pageSettings } from '../../api/address/page-settings.ts'
import { storeCookie } from '../../api/cookie.ts'

type Theme = 'system' | 'light' | 'dark'
export const themes: Theme[] = ['system', 'light', 'dark']

/** The theme in the page. If only a script knew it, the page would flash. */
const themeOfPage = (): Theme => themes.find((theme) => theme === pageSettings.theme) ?? 'system'

export const theme = signal<Theme>(themeOfPage())

/** Reads the theme of the page again. The service renders pages with different themes. */
export const readTheme = (): void => {
  theme.value = themeOfPage()
}

export function setTheme(next: Theme): void {
  theme.value = next
  storeCookie('theme', next === 'system' ? undefined : next)
  // An attribute of the page cannot be undefined.
  if (next === 'system') delete pageSettings.theme
  else pageSettings.theme = next
}

export const nextTheme = () => setTheme(themes[(themes.indexOf(theme.value) + 1) % themes.length]!)
