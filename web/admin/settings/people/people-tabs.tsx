import { PlaceTabs } from '../../../ui/place-tabs.tsx'

export function PeopleTabs() {
  return (
    <PlaceTabs
      label="Users and roles"
      places={[
        { to: '/settings/people', word: 'Users' },
        { to: '/settings/people/roles', word: 'Roles' },
      ]}
    />
  )
}
