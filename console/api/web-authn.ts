/** Only these functions of the package, so that the bundler omits the others. */
export { startAuthentication, startRegistration } from '@simplewebauthn/browser'
