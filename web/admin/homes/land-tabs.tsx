import { PlaceTabs } from '../../ui/place-tabs.tsx'

const PLACES = [
  { to: '/homes', word: 'Homes' },
  { to: '/communities', word: 'Communities' },
] as const

/** The two lists of what is built and where. */
export function LandTabs() {
  return <PlaceTabs label="Homes and communities" places={PLACES} />
}
