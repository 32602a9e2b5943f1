import { describeStatus } from '../day/home-words.ts'
import { useDay } from '../day/use-day.ts'
import { toRouteHash } from '../parts/route.ts'

/** Lists all homes for which the superintendent is responsible. */
export function HomesScreen() {
  const { day } = useDay()
  return (
    <>
      <title>Homes · Field</title>
      <header className="top">
        <h1>Homes</h1>
      </header>
      <ul className="links">
        {day.homes.map(({ id, name, communityName, status }) => (
          <li key={id}>
            <a href={toRouteHash('home', id)}>
              <strong>{name}</strong>
              <span className="muted">
                {communityName}, {describeStatus(status)}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}
