import { LinkTabs } from '../../../ui/link-tabs.tsx'

export function PeopleTabs() {
  return (
    <LinkTabs
      label="Users and roles"
      places={[
        { to: '/settings/people', word: 'Users' },
        { to: '/settings/people/roles', word: 'Roles' },
      ]}
    />
  )
}
