import { LinkTabs } from '../../ui/link-tabs.tsx'

export function WarrantyTabs() {
  return (
    <LinkTabs
      label="Warranty"
      places={[
        { to: '/warranty', word: 'Requests' },
        { to: '/warranty/visits', word: 'Visits' },
        { to: '/warranty/terms', word: 'Terms' },
      ]}
    />
  )
}
