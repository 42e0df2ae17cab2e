/** The address of the page, in place of the global of browsers: the bundler replaces each use of `location`. */
export const location = { origin: 'http://localhost', pathname: '/', search: '', hash: '' }
