import type { ApiKey } from '../../../client/contract.gen.ts'
import type { LookOf } from '../../ui/status-styles.ts'

/** The time before its expiration at which a key is shown as expiring, so that the user can act in time. */
const EXPIRING_MS = 14 * 86_400_000

/** Returns the status of an API key: active, expiring, expired, or revoked. */
export function chooseKeyState({ revokedAt, expiresAt, secrets }: ApiKey, now = Date.now()): LookOf<'key'> {
  if (revokedAt !== null) return 'revoked'
  if (expiresAt !== null && Date.parse(expiresAt) <= now) return 'expired'
  if (secrets.some((secret) => secret.expiresAt !== null && Date.parse(secret.expiresAt) > now)) return 'rotating'
  return expiresAt !== null && Date.parse(expiresAt) - now < EXPIRING_MS ? 'expiring' : 'active'
}
