import { PlaceTabs } from '../../ui/place-tabs.tsx'

const PLACES = [
  { to: '/homes', word: 'Homes' },
  { to: '/communities', word: 'Communities' },
] as const

/** Tabs for homes and communities. */
export function LandTabs() {
  return <PlaceTabs label="Homes and communities" places={PLACES} />
}
