import type { ApiKey } from '../../../client/contract.gen.ts'
import type { LookOf } from '../../ui/looks.ts'

/** Soon enough to do something about it. */
const EXPIRING_MS = 14 * 86_400_000

/** How it stands with a key. */
export function stateOf({ revokedAt, expiresAt, secrets }: ApiKey, now = Date.now()): LookOf<'key'> {
  if (revokedAt !== null) return 'revoked'
  if (expiresAt !== null && Date.parse(expiresAt) <= now) return 'expired'
  if (secrets.some((secret) => secret.expiresAt !== null && Date.parse(secret.expiresAt) > now)) return 'rotating'
  return expiresAt !== null && Date.parse(expiresAt) - now < EXPIRING_MS ? 'expiring' : 'active'
}
