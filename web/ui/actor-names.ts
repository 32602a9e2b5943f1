import type { Actor } from '../../client/contract.gen.ts'
import { useCan, useSession } from '../api/session.ts'
import { useRecords } from '../api/use-records.ts'

/** Returns a function that returns the names of actors. It returns names only if this user may see them. */
export function useActorNames(actors: readonly Actor[]): (actor: Actor) => string {
  const can = useCan()
  const { user } = useSession()
  const idsOf = (type: Actor['type']) =>
    actors.flatMap((actor) => (actor.type === type && actor.id !== null ? [actor.id] : []))
  const users = useRecords('/api/ext/users', can('users:read') ? idsOf('user') : [])
  const vendors = useRecords('/api/ext/vendors', can('vendors:read') ? idsOf('vendor') : [])
  const homeOwners = useRecords('/api/ext/home-owners', can('owners:read') ? idsOf('home_owner') : [])
  return ({ type, id, via, copiedBy }) => {
    if (type === 'user') {
      const name = users.get(id ?? '')?.name ?? (id === user.id ? user.name : 'a colleague')
      return via === undefined ? name : `${name} via ${via.client}`
    }
    if (type === 'vendor') {
      const name = vendors.get(id ?? '')?.companyName ?? 'the vendor'
      return copiedBy === undefined ? name : `${name}, through a link that ${copiedBy.name} copied`
    }
    if (type === 'home_owner') return homeOwners.get(id ?? '')?.name ?? 'the home owner'
    return type === 'key' ? 'an integration' : 'the service'
  }
}
