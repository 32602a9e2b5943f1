/** Draws the elevation of a home as in a construction drawing, with a plumb line in the middle. */
export function ElevationDrawing() {
  return (
    <div className="sheet" aria-hidden="true">
      <svg aria-hidden="true" viewBox="0 0 760 900" preserveAspectRatio="xMidYMid slice">
        <path
          className="d-thin"
          d="M0 100.5H760M0 200.5H760M0 300.5H760M0 400.5H760M0 500.5H760M0 600.5H760M0 700.5H760M0 800.5H760M80.5 0V900M180.5 0V900M280.5 0V900M380.5 0V900M480.5 0V900M580.5 0V900M680.5 0V900"
          opacity=".45"
        />
        <g transform="translate(0 60)">
          <path
            className="d-mid"
            d="M150 560V360M610 560V360M120 372L380 214L640 372M132 380L380 230L628 380M90 560H670M90 566H670M104 566V584M656 566V584M104 584H656"
          />
          <path
            className="d-thin"
            d="M150 470H610M190 560V470M230 560V470M270 560V470M310 560V470M450 560V470M490 560V470M530 560V470M570 560V470M190 470V372M230 470V348M270 470V324M310 470V300M450 470V300M490 470V324M530 470V348M570 470V372M350 560V470H410V560M175 400H255V450H175zM505 400H585V450H505zM215 400V450M545 400V450"
          />
          <path className="d-mid" d="M150 618H610M150 610V626M610 610V626M56 566V372M48 566H64M48 372H64" />
          <text x="262" y="612" textAnchor="middle">
            46′ 0″
          </text>
          <text x="46" y="474" textAnchor="middle" transform="rotate(-90 46 474)">
            19′ 5″
          </text>
        </g>
        <path className="d-acc" d="M380.5 0V640" />
        <path className="d-bob" d="M370 640h21v12h-21zM360 658h41v36l-20.5 52-20.5-52z" />
        <path className="d-mid" d="M470 800.5H740V880.5H470zM470 826.5H740M600 800.5V880.5" />
        <text x="480" y="818">
          LOT 15
        </text>
        <text x="610" y="818">
          JUNIPER RIDGE
        </text>
        <text x="480" y="846">
          SHEET A-1
        </text>
        <text x="610" y="846">
          FRONT ELEVATION
        </text>
        <text x="480" y="868">
          REV 5
        </text>
        <text x="610" y="868">
          2026-11-23
        </text>
      </svg>
    </div>
  )
}
