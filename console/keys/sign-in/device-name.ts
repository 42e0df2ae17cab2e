/** The first match counts: Android and Chromebooks also name Linux. */
const systems: [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Macintosh/, 'Mac'],
  [/Windows/, 'Windows'],
  [/CrOS/, 'Chromebook'],
  [/Linux/, 'Linux'],
]

/** Suggests a name for a passkey on this device, from the `User-Agent`. */
export const deviceName = (userAgent: string): string => systems.find(([pattern]) => pattern.test(userAgent))?.[1] ?? ''
