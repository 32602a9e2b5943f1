import type { Actor } from '../../client/contract.gen.ts'
import { useCan } from '../api/session.ts'
import { useRecords } from '../api/use-records.ts'

/** Returns a function that names actors, as far as this user may see them. */
export function useActorNames(actors: readonly Actor[]): (actor: Actor) => string {
  const can = useCan()
  const idsOf = (type: Actor['type']) =>
    actors.flatMap((actor) => (actor.type === type && actor.id !== null ? [actor.id] : []))
  const users = useRecords('/api/ext/users', can('users:read') ? idsOf('user') : [])
  const vendors = useRecords('/api/ext/vendors', can('vendors:read') ? idsOf('vendor') : [])
  return ({ type, id, via, copiedBy }) => {
    if (type === 'user') {
      const name = users.get(id ?? '')?.name ?? 'a colleague'
      return via === undefined ? name : `${name} by ${via.client}`
    }
    if (type === 'vendor') {
      const name = vendors.get(id ?? '')?.companyName ?? 'the vendor'
      return copiedBy === undefined ? name : `${name}, through a link that ${copiedBy.name} copied`
    }
    return type === 'key' ? 'an integration' : 'the service'
  }
}
