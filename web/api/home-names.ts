import type { Home } from '../../client/contract.gen.ts'
import { useRecords } from './use-records.ts'

/**
 * Returns the names of homes with their communities, such as `Lot 1, Juniper Ridge`, because lot numbers are not
 * unique.
 */
export function useHomeNames(ids: readonly (string | null)[]): ReadonlyMap<string, string> {
  return useNamesOf([...useRecords('/api/ext/homes', ids).values()])
}

/** Returns the options for a field in which the user chooses a home. */
export function useHomeOptions(homes: readonly Home[]): readonly { value: string; label: string }[] {
  const names = useNamesOf(homes)
  return homes.map(({ id, name }) => ({ value: id, label: names.get(id) ?? name }))
}

function useNamesOf(homes: readonly Home[]): ReadonlyMap<string, string> {
  const communities = useRecords(
    '/api/ext/communities',
    homes.map(({ communityId }) => communityId),
  )
  return new Map(
    homes.map(({ id, name, communityId }) => {
      const community = communities.get(communityId)?.name
      return [id, community === undefined ? name : `${name}, ${community}`]
    }),
  )
}
