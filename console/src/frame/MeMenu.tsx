// Oneself: who, colours, clock, keys, leaving.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Clock, Keyboard, LogOut, Moon, Sun, SunMoon, User } from "lucide-react";
import { meQuery } from "@/api/access";
import { at, send } from "@/api/request";
import { Button } from "@/ui/Button";
import { Menu } from "@/ui/Menu";
import { useUtc } from "@/ui/preferences";
import { useColours } from "@/ui/Root";

export function MeMenu({ help }: { help: () => void }) {
  const { data: me } = useQuery(meQuery);
  const client = useQueryClient();
  const navigate = useNavigate();
  const [colours, setColours] = useColours();
  const [utc, setUtc] = useUtc();
  const leave = async () => {
    await send("DELETE", at("/v1/sessions/current")).catch(() => undefined);
    client.clear();
    await navigate({ to: "/sign-in" as never });
  };
  const name = me?.name ?? "me";
  return (
    <Menu
      title={`${name} · ${me?.roles.map((each) => each.role).join(", ") ?? ""}`}
      target={
        <Button look="quiet" icon={<User size={16} aria-hidden />} label={`me: ${name}`}>
          <span className="wide cut short">{name}</span>
        </Button>
      }
      choices={[
        { label: "Me & tokens", icon: <User size={14} />, do: () => void navigate({ to: "/me" as never }) },
        { label: "Dark", icon: <Moon size={14} />, chosen: colours === "dark", do: () => setColours("dark") },
        {
          label: "Light",
          icon: <Sun size={14} />,
          chosen: colours === "light",
          do: () => setColours("light"),
        },
        {
          label: "As the system",
          icon: <SunMoon size={14} />,
          chosen: colours === "auto",
          do: () => setColours("auto"),
        },
        { label: utc ? "Times as here" : "Times in UTC", icon: <Clock size={14} />, do: () => setUtc(!utc) },
        { label: "Keys", icon: <Keyboard size={14} />, do: help },
        { label: "Sign out", icon: <LogOut size={14} />, do: () => void leave() },
      ]}
    />
  );
}
