import "../styles/fonts.css";
import "../styles/base.css";
