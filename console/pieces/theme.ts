import { signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'
export const themes: Theme[] = ['system', 'light', 'dark']
const stored = 'theme'

function chosen(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem(stored)) ?? 'system'
  } catch {
    return 'system'
  }
}

export const theme = signal<Theme>(chosen())

export function applyTheme(): void {
  if (theme.value === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme.value
}

export function setTheme(next: Theme): void {
  theme.value = next
  applyTheme()
  try {
    localStorage.setItem(stored, next)
  } catch {
    // Then it holds until the page is left.
  }
}

export const nextTheme = () => setTheme(themes[(themes.indexOf(theme.value) + 1) % themes.length]!)
