// `?`: every key that does something on this page.
import { Dialog } from "./Dialog";
import { useKeyGroups } from "./keys";

export function KeysHelp({ open, close }: { open: boolean; close: () => void }) {
  const groups = useKeyGroups();
  return (
    <Dialog open={open} title="Keys of this page" close={close} wide>
      <div className="keys-help">
        {groups
          .filter((group) => group.keys.length > 0)
          .map((group) => (
            <section key={group.title}>
              <h2>{group.title}</h2>
              <dl className="facts">
                {group.keys.map((key) => (
                  <div key={key.keys} style={{ display: "contents" }}>
                    <dt>
                      {key.keys.split(" ").map((part) => (
                        <kbd key={part}>{part}</kbd>
                      ))}
                    </dt>
                    <dd>{key.says}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        <section>
          <h2>everywhere</h2>
          <dl className="facts">
            <dt>
              <kbd>Ctrl</kbd> <kbd>K</kbd>
            </dt>
            <dd>search and commands</dd>
            <dt>
              <kbd>Esc</kbd>
            </dt>
            <dd>close what is open</dd>
          </dl>
        </section>
      </div>
    </Dialog>
  );
}
